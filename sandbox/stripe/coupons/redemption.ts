import type Stripe from "stripe";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import type { ApiCall } from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { findObject, findOr404, lockObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { currentCoupon } from "./coupons.ts";
import { endDiscount } from "./discounts.ts";
import { refusalOfCode } from "./promotion-codes.ts";

interface Purchase {
  customer: string;
  amount: number;
  currency: string;
}

/** What may be redeemed: a coupon, and the code it was asked for with. */
export interface Redeemable {
  coupon: Stripe.Coupon;
  promotion_code: Stripe.PromotionCode | null;
}

/** The coupon of a parameter, locked, if it can be redeemed. @throws Stripe's 400 */
export async function redeemable(
  tx: Transaction,
  asked: { coupon: string } | { promotion_code: string },
  purchase: Purchase,
  param = "discounts[0]",
): Promise<Redeemable> {
  if ("promotion_code" in asked) {
    const promotion_code = await lockObject(tx, "promotion_code", asked.promotion_code);
    if (!promotion_code)
      throw resourceMissing("promotion code", asked.promotion_code, `${param}[promotion_code]`);
    const refusal = await refusalOfCode(tx, promotion_code, purchase);
    if (refusal) throw invalidRequest(refusal, { param: `${param}[promotion_code]` });
    return {
      ...(await redeemable(tx, { coupon: String(promotion_code.promotion.coupon) }, purchase)),
      promotion_code,
    };
  }
  const found = await lockObject(tx, "coupon", asked.coupon);
  if (!found) throw resourceMissing("coupon", asked.coupon, `${param}[coupon]`);
  const coupon = currentCoupon(tx, found);
  if (!coupon.valid)
    throw invalidRequest(`Coupon ${coupon.id} is expired, or used up.`, { code: "coupon_expired" });
  return { coupon, promotion_code: null };
}

/** DELETE /v1/customers/:id/discount */
export async function deleteCustomerDiscount({ tx, id }: ApiCall): Promise<Stripe.DeletedDiscount> {
  const { discount } = await existingCustomer(tx, id);
  if (!discount) throw invalidRequest("No active discount for customer.", { code: "resource_missing" });
  return remove(tx, discount);
}

/** DELETE /v1/subscriptions/:id/discount */
export async function deleteSubscriptionDiscount({ tx, id }: ApiCall): Promise<Stripe.DeletedDiscount> {
  const { discounts } = await findOr404(tx, "subscription", id);
  const discount = await findObject(tx, "discount", String(discounts[0]));
  if (!discount) throw invalidRequest("No active discount for subscription.", { code: "resource_missing" });
  return remove(tx, discount);
}

async function remove(tx: Transaction, discount: Stripe.Discount): Promise<Stripe.DeletedDiscount> {
  await endDiscount(tx, discount);
  const { end: _, ...rest } = discount;
  return { ...rest, deleted: true };
}
