import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { integerBetween, list, text } from "../api/params.ts";
import { findObject, newId, stripeObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { BillingPeriod } from "./periods.ts";

type Subscription = Stripe.Subscription;
type Item = Stripe.SubscriptionItem;

export const quantity = integerBetween(0, 999_999);

export const itemsParam = list(
  z.strictObject({ id: text.optional(), price: text.optional(), quantity: quantity.optional() }),
);

export interface ItemChange {
  id?: string | undefined;
  price?: RecurringPrice | undefined;
  quantity?: number | undefined;
}

export type RecurringPrice = Stripe.Price & { recurring: Stripe.Price.Recurring };

/** The changes with their prices. @throws Stripe's 400 for a price that cannot be subscribed to */
export async function readItemChanges(tx: Transaction, params: z.output<typeof itemsParam>) {
  const changes: ItemChange[] = [];
  for (const [at, { price, ...fields }] of params.entries()) {
    const found = price === undefined ? undefined : await recurringPrice(tx, price, `items[${at}][price]`);
    changes.push({ ...fields, price: found });
  }
  return changes;
}

/** The price, if it recurs, and is for sale unless a retired one is fine. @throws Stripe's 400 if not */
export async function recurringPrice(
  tx: Transaction,
  id: string,
  param: string,
  { isRetiredFine = false } = {},
): Promise<RecurringPrice> {
  const price = await findObject(tx, "price", id);
  if (!price) throw resourceMissing("price", id, param);
  if (!price.active && !isRetiredFine) {
    const message = "The price specified is inactive. This field only accepts active prices.";
    throw invalidRequest(message, { param });
  }
  if (isRecurring(price)) return price;
  const rule = "this field only accepts prices with `type=recurring`";
  throw invalidRequest(`The price specified is set to \`type=one_time\` but ${rule}.`, { param });
}

function isRecurring(price: Stripe.Price): price is RecurringPrice {
  return price.recurring !== null;
}

interface ItemFields {
  subscription: string;
  price: RecurringPrice;
  quantity: number;
  created: number;
  period: BillingPeriod;
}

export function newItem({ period, ...fields }: ItemFields): Item {
  return stripeObject<Item>({
    id: newId("si"),
    object: "subscription_item",
    ...fields,
    ...period,
    discounts: [],
    metadata: {},
  });
}

/**
 * The items of a subscription after the changes. @throws Stripe's 400 for an item it does not have, and for prices that are not
 * billed together
 */
export function changeItems(subscription: Subscription, changes: ItemChange[], created: number): Item[] {
  const items = new Map(subscription.items.data.map((item) => [item.id, item]));
  const period = periodOf(subscription);
  for (const [at, { id, price, quantity }] of changes.entries()) {
    const current = id === undefined ? undefined : items.get(id);
    if (id !== undefined && !current) throw resourceMissing("subscription_item", id, `items[${at}][id]`);
    if (current) {
      const amount = quantity ?? current.quantity ?? 1;
      items.set(current.id, { ...current, ...(price && { price }), quantity: amount });
    } else if (price) {
      const fields = { subscription: subscription.id, price, quantity: quantity ?? 1, created, period };
      const item = newItem(fields);
      items.set(item.id, item);
    } else {
      const param = `items[${at}][price]`;
      throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
    }
  }
  const after = [...items.values()];
  assertBilledTogether(after);
  return after;
}

export function assertBilledTogether([first, ...others]: Item[]): void {
  const termsOf = ({ price }: Item) => `${price.currency} ${intervalOf(price)}`;
  if (!first || others.every((item) => termsOf(item) === termsOf(first))) return;
  const rule = "All prices on a subscription must have the same `currency` and `recurring.interval` here.";
  throw invalidRequest(rule, { param: "items" });
}

/** The period that all its items share here. */
export function periodOf(subscription: Pick<Subscription, "items">): BillingPeriod {
  const [item] = subscription.items.data;
  if (!item) throw new Error("A subscription without items");
  return { current_period_start: item.current_period_start, current_period_end: item.current_period_end };
}

export function recurringOf({ items }: Pick<Subscription, "items">): Stripe.Price.Recurring {
  const recurring = items.data[0]?.price.recurring;
  if (!recurring) throw new Error("A subscription to a price that does not recur");
  return recurring;
}

/** `1 month` */
export function intervalOf({ recurring }: Stripe.Price): string {
  return `${recurring?.interval_count} ${recurring?.interval}`;
}

export function withItems(subscription: Subscription, data: Item[]): Subscription["items"] {
  return { ...subscription.items, data };
}
