import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { type ApiCall, list, readParams, text } from "../api/params.ts";
import { recordEvent } from "../objects/events.ts";
import { findObject, insertObject, newId, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

const percentage = text
  .refine((value) => /^\d{1,3}(\.\d{1,2})?$/.test(value) && Number(value) > 0 && Number(value) <= 100, {
    error: "Invalid percent_off: must be greater than 0 and at most 100",
  })
  .transform(Number);

const createSchema = z.strictObject({ percent_off: percentage, duration: z.enum(["forever"]) });

/** A coupon takes a share off every invoice of the subscription that has it, for ever. */
export async function createCoupon({ tx, params }: ApiCall): Promise<Stripe.Coupon> {
  const { percent_off, duration } = readParams(createSchema, params);
  const coupon: Stripe.Coupon = {
    id: newId("coupon"),
    object: "coupon",
    amount_off: null,
    created: tx.now,
    currency: null,
    duration,
    duration_in_months: null,
    livemode: false,
    max_redemptions: null,
    metadata: {},
    name: null,
    percent_off,
    redeem_by: null,
    times_redeemed: 0,
    valid: true,
  };
  await insertObject(tx, coupon);
  await recordEvent(tx, { type: "coupon.created", data: { object: coupon } });
  return coupon;
}

/** One of the `discounts` of a subscription: a coupon, or a discount that is there already. */
const discountParam = z.union([z.strictObject({ coupon: text }), z.strictObject({ discount: text })]);

/** At most one: discounts are not added up here. */
export const discountsParam = list(discountParam).pipe(
  z.array(z.custom<z.output<typeof discountParam>>()).max(1, { error: "The sandbox takes one discount." }),
);

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
  const coupon = await findObject(tx, "coupon", id);
  if (!coupon) throw resourceMissing("coupon", id, "discounts[0][coupon]");
  if (!coupon.percent_off) throw invalidRequest(`Coupon ${id} is not a share, as the sandbox's coupons are.`);
  const discount: Stripe.Discount = {
    id: newId("di"),
    object: "discount",
    checkout_session: null,
    customer: String(subscription.customer),
    customer_account: null,
    end: null,
    invoice: null,
    invoice_item: null,
    promotion_code: null,
    source: { coupon: id, type: "coupon" },
    start: tx.now,
    subscription: subscription.id,
    subscription_item: null,
  };
  await insertObject(tx, discount);
  await replaceObject(tx, { ...coupon, times_redeemed: coupon.times_redeemed + 1 });
  await recordEvent(tx, { type: "customer.discount.created", data: { object: discount } });
  return discount.id;
}

/** What is taken off what a subscription pays. */
export interface AppliedDiscount {
  id: string;
  percentOff: number;
}

export async function discountOf(
  tx: Transaction,
  subscription: Pick<Stripe.Subscription, "discounts"> | null,
): Promise<AppliedDiscount | null> {
  const [id] = subscription?.discounts ?? [];
  const discount = id && (await findObject(tx, "discount", String(id)));
  const coupon = discount && (await findObject(tx, "coupon", String(discount.source.coupon)));
  return coupon ? { id: discount.id, percentOff: coupon.percent_off ?? 0 } : null;
}

/** What a discount takes off an amount, both in minor units; nothing off a credit. */
export function amountOff(discount: AppliedDiscount | null, amount: number): number {
  return discount && amount > 0 ? Math.round((amount * discount.percentOff) / 100) : 0;
}
