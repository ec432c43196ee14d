import type Stripe from "stripe";
import { recordEvent } from "../objects/events.ts";
import { findObject, insertObject, newId, replaceObject } from "../store.ts";
import { saveSubscription } from "../subscriptions/save.ts";
import type { Transaction } from "../transaction.ts";

/** A discount, and what its coupon takes off. */
export interface AppliedDiscount {
  discount: Stripe.Discount;
  coupon: Stripe.Coupon;
}

interface NewDiscount {
  coupon: Stripe.Coupon;
  promotion_code?: Stripe.PromotionCode | null;
  customer: string;
  /** Null for a discount on everything the customer buys. */
  subscription: string | null;
  checkout_session?: string | null;
}

/** Redeems a coupon: https://docs.stripe.com/api/discounts */
export async function addDiscount(tx: Transaction, fields: NewDiscount): Promise<Stripe.Discount> {
  const { coupon, promotion_code = null } = fields;
  const discount: Stripe.Discount = {
    id: newId("di"),
    object: "discount",
    checkout_session: fields.checkout_session ?? null,
    customer: fields.customer,
    customer_account: null,
    end: await endOf(tx, coupon),
    invoice: null,
    invoice_item: null,
    promotion_code: promotion_code?.id ?? null,
    source: { coupon: coupon.id, type: "coupon" },
    start: tx.now,
    subscription: fields.subscription,
    subscription_item: null,
  };
  await insertObject(tx, discount);
  await replaceObject(tx, { ...coupon, times_redeemed: coupon.times_redeemed + 1 });
  if (promotion_code) {
    await replaceObject(tx, { ...promotion_code, times_redeemed: promotion_code.times_redeemed + 1 });
  }
  await recordEvent(tx, { type: "customer.discount.created", data: { object: discount } });
  return discount;
}

/** Unix seconds; null for a coupon that is good for ever, or for one invoice whenever that is. */
async function endOf(
  tx: Transaction,
  { duration, duration_in_months }: Stripe.Coupon,
): Promise<number | null> {
  if (duration !== "repeating") return null;
  const { rows } = await tx.client.query<{ end: number }>(
    `SELECT extract(epoch FROM to_timestamp($1) AT TIME ZONE 'UTC' + make_interval(months => $2))::float8 AS end`,
    [tx.now, duration_in_months],
  );
  return rows[0]?.end ?? null;
}

/** What is taken off an invoice that is made now. A subscription's own discounts replace the customer's. */
export async function discountsFor(
  tx: Transaction,
  customer: Stripe.Customer,
  subscription: Pick<Stripe.Subscription, "discounts"> | null,
): Promise<AppliedDiscount[]> {
  const own = subscription?.discounts ?? [];
  const ids = own.length > 0 ? own : [customer.discount ?? []].flat();
  const applied: AppliedDiscount[] = [];
  for (const id of ids) {
    const found = await findDiscount(tx, typeof id === "string" ? id : id.id);
    if (found && !hasEnded(tx, found.discount)) applied.push(found);
  }
  return applied;
}

async function findDiscount(tx: Transaction, id: string): Promise<AppliedDiscount | undefined> {
  const discount = await findObject(tx, "discount", id);
  if (!discount) return undefined;
  // A coupon that has been deleted goes on for those who redeemed it.
  const { rows } = await tx.client.query<{ object: Stripe.Coupon }>(
    "SELECT object FROM sandbox_stripe.objects WHERE id = $1",
    [discount.source.coupon],
  );
  return rows[0] && { discount, coupon: rows[0].object };
}

function hasEnded(tx: Transaction, { end }: Stripe.Discount): boolean {
  return end !== null && end <= tx.now;
}

/** What is discounted: amounts in minor units. */
interface Discountable {
  product: string;
  amount: number;
  discountable: boolean;
}

/**
 * What each discount takes off each line, in minor units: one row per line, one column per discount. Each discount
 * counts on what the ones before it left.
 */
export function discountAmounts(
  lines: Discountable[],
  discounts: Pick<AppliedDiscount, "coupon">[],
  currency: string,
): number[][] {
  const left = lines.map(({ amount, discountable }) => (discountable ? Math.max(amount, 0) : 0));
  const taken: number[][] = lines.map(() => []);
  for (const { coupon } of discounts) {
    const products = coupon.applies_to?.products;
    const open = lines.map(({ product }, at) =>
      !products || products.includes(product) ? (left[at] ?? 0) : 0,
    );
    let sum = open.reduce((total, amount) => total + amount, 0);
    let rest = totalOff(coupon, sum, currency);
    open.forEach((amount, at) => {
      const share = sum > 0 ? Math.round((rest * amount) / sum) : 0;
      taken[at]?.push(share);
      rest -= share;
      sum -= amount;
      left[at] = (left[at] ?? 0) - share;
    });
  }
  return taken;
}

function totalOff(
  { amount_off, percent_off, currency: of }: Stripe.Coupon,
  sum: number,
  currency: string,
): number {
  if (percent_off !== null) return Math.round((sum * percent_off) / 100);
  return of === currency ? Math.min(amount_off ?? 0, sum) : 0;
}

/** After an invoice: what was good for one invoice only is over, for the subscription or the customer that had it. */
export async function spendDiscounts(tx: Transaction, discounts: string[]): Promise<void> {
  for (const id of discounts) {
    const applied = await findDiscount(tx, id);
    if (applied?.coupon.duration === "once") await endDiscount(tx, applied.discount);
  }
}

/** Ends a discount now, and takes it off what it is on. */
export async function endDiscount(tx: Transaction, discount: Stripe.Discount): Promise<void> {
  await replaceObject(tx, { ...discount, end: tx.now });
  if (discount.subscription) {
    const subscription = await findObject(tx, "subscription", discount.subscription);
    if (subscription) {
      const discounts = subscription.discounts.filter((id) => id !== discount.id);
      await saveSubscription(tx, subscription, { ...subscription, discounts });
    }
  } else {
    const customer = await findObject(tx, "customer", String(discount.customer));
    if (customer && !customer.deleted) await replaceObject(tx, { ...customer, discount: null });
  }
  await recordEvent(tx, { type: "customer.discount.deleted", data: { object: discount } });
}
