import type Stripe from "stripe";
import { findActiveCode, refusalOfCode } from "../coupons/promotion-codes.ts";
import type { Redeemable } from "../coupons/redemption.ts";
import { findObject, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { Visit } from "./hosted-checkout.ts";
import { type CheckoutOrder, orderOf, totalsToday } from "./order.ts";

/** What takes something off an open session. */
export async function redeemedBy(tx: Transaction, session: Stripe.Checkout.Session): Promise<Redeemable[]> {
  const redeemed: Redeemable[] = [];
  for (const { coupon: id, promotion_code: code } of session.discounts ?? []) {
    const coupon = await findObject(tx, "coupon", String(id));
    const promotion_code = code ? ((await findObject(tx, "promotion_code", String(code))) ?? null) : null;
    if (coupon) redeemed.push({ coupon, promotion_code });
  }
  return redeemed;
}

/** Applies the code that was typed. @returns what is wrong with it, or null */
export async function applyPromotionCode({ tx, session, form }: Visit): Promise<string | null> {
  const typed = (form.get("code") ?? "").trim();
  const order = await orderOf(tx, session);
  const code = session.allow_promotion_codes ? await findActiveCode(tx, typed) : undefined;
  if (!code) return "This code is invalid.";
  const refusal = await refusalOfCode(tx, code, {
    customer: String(session.customer),
    amount: (order.price.unit_amount ?? 0) * order.quantity,
    currency: order.price.currency,
  });
  if (refusal) return refusal;
  const coupon = await findObject(tx, "coupon", String(code.promotion.coupon));
  if (coupon) await discountSession(tx, session, order, [{ coupon, promotion_code: code }]);
  return null;
}

/** The buyer takes the code off again. Discounts the seller gave stay. */
export async function removeDiscounts({ tx, session }: Visit): Promise<void> {
  if (session.allow_promotion_codes) await discountSession(tx, session, await orderOf(tx, session), []);
}

async function discountSession(
  tx: Transaction,
  session: Stripe.Checkout.Session,
  order: CheckoutOrder,
  redeemed: Redeemable[],
): Promise<void> {
  await replaceObject(tx, {
    ...session,
    ...totalsToday(order, redeemed),
    discounts: redeemed.map(({ coupon, promotion_code }) => ({
      coupon: coupon.id,
      promotion_code: promotion_code?.id ?? null,
    })),
  });
}
