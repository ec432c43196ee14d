import type Stripe from "stripe";
import { formatAmount } from "../format.ts";
import { findObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { NewLine } from "./compose.ts";

/** What an item of a subscription costs for its current period: `1 × CSV + Banking (at $49.99 / year)` */
async function periodLine(tx: Transaction, item: Stripe.SubscriptionItem): Promise<NewLine> {
  const { price, quantity = 1 } = item;
  const each = formatAmount(price.unit_amount ?? 0, price.currency);
  return {
    ...lineOf(item),
    amount: (price.unit_amount ?? 0) * quantity,
    description: `${quantity} × ${await productName(tx, price)} (at ${each} / ${intervalOf(price)})`,
  };
}

/** The line of an invoice for a trial, which costs nothing. */
async function trialLine(tx: Transaction, item: Stripe.SubscriptionItem): Promise<NewLine> {
  return {
    ...lineOf(item),
    amount: 0,
    description: `Trial period for ${await productName(tx, item.price)}`,
  };
}

function lineOf(item: Stripe.SubscriptionItem) {
  return {
    price: item.price,
    quantity: item.quantity ?? 1,
    period: { start: item.current_period_start, end: item.current_period_end },
    proration: false,
    subscription_item: item.id,
  };
}

export async function productName(tx: Transaction, price: Stripe.Price): Promise<string> {
  const product = await findObject(tx, "product", String(price.product));
  return product?.name ?? String(price.product);
}

function intervalOf({ recurring }: Stripe.Price): string {
  if (!recurring) return "once";
  return recurring.interval_count === 1
    ? recurring.interval
    : `every ${recurring.interval_count} ${recurring.interval}s`;
}

/** What each item costs for its current period; nothing while it is tried out. */
export async function linesOfPeriod(tx: Transaction, subscription: Stripe.Subscription): Promise<NewLine[]> {
  const line = subscription.status === "trialing" ? trialLine : periodLine;
  const lines: NewLine[] = [];
  for (const item of subscription.items.data) lines.push(await line(tx, item));
  return lines;
}
