import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { boolean, integerBetween, list, mergeMetadata, metadata, text } from "../api/params.ts";
import { findObject, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { BillingPeriod } from "./periods.ts";

export const quantity = integerBetween(0, 999_999);

/** At most 20: https://docs.stripe.com/api/subscriptions/update */
export const itemsParam = list(
  z.strictObject({
    id: text.optional(),
    price: text.optional(),
    quantity: quantity.optional(),
    deleted: boolean.optional(),
    metadata,
  }),
).refine((items) => items.length <= 20, { error: "A subscription has at most 20 items." });

/** A change of one item; without `id` it is a new one. */
export interface ItemChange {
  id?: string | undefined;
  price?: RecurringPrice | undefined;
  quantity?: number | undefined;
  deleted?: boolean | undefined;
  metadata?: z.output<typeof metadata>;
}

export type RecurringPrice = Stripe.Price & { recurring: Stripe.Price.Recurring };

/** The changes with their prices. @throws Stripe's 400 for a price that cannot be subscribed to */
export async function readItemChanges(
  tx: Transaction,
  params: z.output<typeof itemsParam>,
  name = "items",
): Promise<ItemChange[]> {
  const changes: ItemChange[] = [];
  for (const [at, { price, ...fields }] of params.entries()) {
    const found = price === undefined ? undefined : await recurringPrice(tx, price, `${name}[${at}][price]`);
    changes.push({ ...fields, price: found });
  }
  return changes;
}

/** The price, if it is for sale and recurs. @throws Stripe's 400 if not */
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
  if (!isRecurring(price)) {
    const rule = "this field only accepts prices with `type=recurring`";
    throw invalidRequest(`The price specified is set to \`type=one_time\` but ${rule}.`, { param });
  }
  return price;
}

export function isRecurring(price: Stripe.Price): price is RecurringPrice {
  return price.recurring !== null;
}

interface ItemFields {
  subscription: string;
  price: RecurringPrice;
  quantity: number;
  created: number;
  period: BillingPeriod;
  metadata?: Stripe.Metadata;
}

export function newItem(fields: ItemFields): Stripe.SubscriptionItem {
  const { price } = fields;
  return {
    id: newId("si"),
    object: "subscription_item",
    billing_thresholds: null,
    created: fields.created,
    ...fields.period,
    current_trial: null,
    discounts: [],
    metadata: fields.metadata ?? {},
    plan: legacyPlan(price),
    price,
    quantity: fields.quantity,
    subscription: fields.subscription,
    tax_rates: [],
  };
}

/**
 * The items of a subscription after the changes. @throws Stripe's 400 for an item it does not have, for none left, and for
 * prices that are not billed together
 */
export function changeItems(
  subscription: Stripe.Subscription,
  changes: ItemChange[],
  created: number,
): Stripe.SubscriptionItem[] {
  const items = new Map(subscription.items.data.map((item) => [item.id, item]));
  const period = periodOf(subscription);
  for (const [at, { id, price, quantity, deleted, metadata }] of changes.entries()) {
    const current = id === undefined ? undefined : items.get(id);
    if (id !== undefined && !current) throw resourceMissing("subscription_item", id, `items[${at}][id]`);
    if (!current) {
      if (!price) {
        const param = `items[${at}][price]`;
        throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
      }
      const fields = { subscription: subscription.id, price, quantity: quantity ?? 1, created, period };
      const item = newItem({ ...fields, metadata: mergeMetadata({}, metadata) });
      items.set(item.id, item);
    } else if (deleted) {
      items.delete(current.id);
    } else {
      items.set(current.id, {
        ...current,
        ...(price && { price, plan: legacyPlan(price) }),
        quantity: quantity ?? current.quantity ?? 1,
        metadata: mergeMetadata(current.metadata, metadata),
      });
    }
  }
  const after = [...items.values()];
  assertBilledTogether(after, subscription.currency);
  return after;
}

export function assertBilledTogether(items: Stripe.SubscriptionItem[], currency: string): void {
  const [first] = items;
  if (!first) throw invalidRequest("A subscription must have at least one active item.", { param: "items" });
  for (const { price } of items) {
    if (price.currency !== currency) {
      const rule = "This subscription can only have prices in";
      throw invalidRequest(`${rule} ${currency}; ${price.id} is in ${price.currency}.`, { param: "items" });
    }
    if (intervalOf(price) !== intervalOf(first.price)) {
      const rule = "All prices on a subscription must have the same `recurring.interval` and";
      throw invalidRequest(`${rule} \`recurring.interval_count\` here.`, { param: "items" });
    }
  }
  if (new Set(items.map(({ price }) => price.id)).size < items.length) {
    throw invalidRequest("A subscription can have a price only once.", { param: "items" });
  }
}

/** The period that all its items share here. */
export function periodOf(subscription: Pick<Stripe.Subscription, "items">): BillingPeriod {
  const [item] = subscription.items.data;
  if (!item) throw new Error("A subscription without items");
  return { current_period_start: item.current_period_start, current_period_end: item.current_period_end };
}

export function recurringOf({ items }: Pick<Stripe.Subscription, "items">): Stripe.Price.Recurring {
  const recurring = items.data[0]?.price.recurring;
  if (!recurring) throw new Error("A subscription to a price that does not recur");
  return recurring;
}

/** `1 month` */
export function intervalOf({ recurring }: Stripe.Price): string {
  return `${recurring?.interval_count} ${recurring?.interval}`;
}

export function withItems(
  subscription: Stripe.Subscription,
  data: Stripe.SubscriptionItem[],
): Stripe.Subscription["items"] {
  return { ...subscription.items, data };
}

/** Items still carry the price a second time, in the shape of the older Plan object. */
function legacyPlan(price: RecurringPrice): Stripe.Plan {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring.interval,
    interval_count: price.recurring.interval_count,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "licensed",
  };
}
