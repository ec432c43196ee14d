import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "./api/errors.ts";
import { type ApiCall, list, readParams, text } from "./api/params.ts";
import { addObject } from "./events.ts";
import { findObject, newId, stripeObject } from "./store.ts";
import type { Transaction } from "./transaction.ts";

const createSchema = z.strictObject({
  percent_off: z.coerce.number().positive().max(100),
  duration: z.enum(["forever"]),
});

/** A coupon takes a percentage off every invoice of its subscription, forever. */
export async function createCoupon({ tx, params }: ApiCall): Promise<Stripe.Coupon> {
  const coupon = stripeObject<Stripe.Coupon>({
    id: newId("coupon"),
    object: "coupon",
    created: tx.now,
    ...readParams(createSchema, params),
    valid: true,
  });
  await addObject(tx, "coupon.created", coupon);
  return coupon;
}

/** The `discounts` of a subscription: a coupon, or an existing discount. */
export const discountsParam = list(
  z.union([z.strictObject({ coupon: text }), z.strictObject({ discount: text })]),
).refine((discounts) => discounts.length <= 1, { error: "The sandbox takes one discount." });

/** The ids of the discounts that the parameters name, redeemed where they are coupons. @throws Stripe's 400 */
export async function redeemDiscounts(
  tx: Transaction,
  subscription: Stripe.Subscription,
  [asked]: z.output<typeof discountsParam>,
): Promise<string[]> {
  if (!asked) return [];
  if ("coupon" in asked) return [await redeem(tx, subscription, asked.coupon)];
  if (await findObject(tx, "discount", asked.discount)) return [asked.discount];
  throw resourceMissing("discount", asked.discount, "discounts[0][discount]");
}

async function redeem(tx: Transaction, subscription: Stripe.Subscription, id: string): Promise<string> {
  if (!(await findObject(tx, "coupon", id))) throw resourceMissing("coupon", id, "discounts[0][coupon]");
  const discount = stripeObject<Stripe.Discount>({
    id: newId("di"),
    object: "discount",
    customer: String(subscription.customer),
    source: { coupon: id, type: "coupon" },
    start: tx.now,
    subscription: subscription.id,
  });
  await addObject(tx, "customer.discount.created", discount);
  return discount.id;
}

export interface AppliedDiscount {
  id: string;
  percentOff: number;
}

export async function discountOf(tx: Transaction, { discounts: [id] }: Stripe.Subscription) {
  const discount = id && (await findObject(tx, "discount", String(id)));
  const coupon = discount && (await findObject(tx, "coupon", String(discount.source.coupon)));
  return coupon ? { id: discount.id, percentOff: coupon.percent_off ?? 0 } : null;
}

/** The discount on an amount, both in minor units; nothing on a credit. */
export function amountOff(discount: AppliedDiscount | null, amount: number): number {
  return discount && amount > 0 ? Math.round((amount * discount.percentOff) / 100) : 0;
}
