import type Stripe from "stripe";
import { amountOff, discountOf } from "../coupons/coupons.ts";
import { productName } from "../invoices/lines.ts";
import type { Transaction } from "../transaction.ts";
import type { BillingFacts } from "./change.ts";
import { pendingItemsOf } from "./pending-items.ts";
import type { Debit } from "./proration.ts";

/** What prorations of a subscription need to know; `items` are those whose names and prices will be asked for. */
export async function billingFacts(
  tx: Transaction,
  subscription: Stripe.Subscription,
  prices: Stripe.Price[],
): Promise<BillingFacts> {
  const discount = await discountOf(tx, subscription);
  const names = new Map<string, string>();
  for (const price of prices) names.set(price.id, await productName(tx, price));
  const debits = await lastDebits(tx, subscription);
  return {
    now: tx.now,
    debitOf: (item) => (debits ? debits.get(item.id) : wholePeriod(item)),
    netPriceOf: (item) => amountOf(item) - amountOff(discount, amountOf(item)),
    nameOf: ({ price }) => names.get(price.id) ?? price.id,
  };
}

function amountOf({ price, quantity = 1 }: Stripe.SubscriptionItem): number {
  return (price.unit_amount ?? 0) * quantity;
}

function wholePeriod(item: Stripe.SubscriptionItem): Debit {
  return { amount: amountOf(item), start: item.current_period_start, end: item.current_period_end };
}

/**
 * What was billed last for each item, by its id, paid or not; undefined if the subscription has no invoice at all. What a
 * pending update would cost has not been billed yet.
 */
async function lastDebits(
  tx: Transaction,
  subscription: Stripe.Subscription,
): Promise<Map<string, Debit> | undefined> {
  const { rows } = await tx.client.query<{ object: Stripe.Invoice }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'invoice' AND object @> $1 AND object->>'status' <> 'void' AND id IS DISTINCT FROM $2
     ORDER BY sequence`,
    [
      JSON.stringify({ parent: { subscription_details: { subscription: subscription.id } } }),
      subscription.pending_update ? subscription.latest_invoice : null,
    ],
  );
  if (rows.length === 0) return undefined;
  const lines = rows.flatMap(({ object }) => object.lines.data);
  const debits = new Map<string, Debit>();
  const { current_period_end: end } = subscription.items.data[0] ?? {};
  for (const { amount, discount_amounts, period, parent } of lines) {
    const item = parent?.subscription_item_details?.subscription_item;
    if (!item || amount < 0 || period.end !== end) continue;
    const net = (discount_amounts ?? []).reduce((left, discount) => left - discount.amount, amount);
    debits.set(item, { amount: net, ...period });
  }
  for (const { amount, period, item } of await pendingItemsOf(tx, subscription.id)) {
    if (amount >= 0 && period.end === end) debits.set(item, { amount, ...period });
  }
  return debits;
}
