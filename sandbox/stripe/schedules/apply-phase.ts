import type Stripe from "stripe";
import { redeemDiscounts } from "../coupons/coupons.ts";
import { findObject } from "../store.ts";
import { billingFacts } from "../subscriptions/billing-facts.ts";
import { type ProrationBehavior, planChange } from "../subscriptions/change.ts";
import { applyChange } from "../subscriptions/invoice-change.ts";
import {
  changeItems,
  type ItemChange,
  intervalOf,
  isRecurring,
  periodOf,
  withItems,
} from "../subscriptions/items.ts";
import { discardPendingUpdate } from "../subscriptions/pending-update.ts";
import { saveSubscription } from "../subscriptions/subscriptions.ts";
import type { Transaction } from "../transaction.ts";

export type Phase = Stripe.SubscriptionSchedule["phases"][number];

/** The subscription becomes what the phase says: at once, or with the renewal that is due at the same time. */
export async function applyPhase(
  tx: Transaction,
  subscription: Stripe.Subscription,
  phase: Phase,
  proration_behavior: ProrationBehavior,
): Promise<void> {
  const before = await discardPendingUpdate(tx, subscription);
  const items = await itemChanges(tx, before, phase);
  const base = {
    ...before,
    discounts: await redeemDiscounts(tx, before, phase.discounts.map(asParam)),
  };
  if (tx.now >= periodOf(before).current_period_end) {
    await saveSubscription(tx, before, changedAtRenewal(base, items, tx.now));
    return;
  }
  const prices = [...before.items.data, ...items].flatMap(({ price }) => price ?? []);
  const change = { items, proration_behavior, proration_date: tx.now };
  await applyChange(tx, before, {
    plan: planChange(base, change, await billingFacts(tx, before, prices)),
    proration_behavior,
    proration_date: tx.now,
    isPendingIfUnpaid: false,
  });
}

/** Its period is over, and stays so until it is renewed at the new prices. */
export function changedAtRenewal(
  before: Stripe.Subscription,
  changes: ItemChange[],
  now: number,
): Stripe.Subscription {
  const items = changeItems(before, changes, now);
  const [old, next] = [before.items.data[0], items[0]];
  const isOtherInterval = old && next && intervalOf(old.price) !== intervalOf(next.price);
  const { current_period_end } = periodOf(before);
  return {
    ...before,
    items: withItems(before, items),
    ...(isOtherInterval && {
      billing_cycle_anchor: current_period_end,
    }),
  };
}

/** The items of the phase take the places of those of the subscription, in order. A price may have been retired since. */
export async function itemChanges(
  tx: Transaction,
  { items }: Stripe.Subscription,
  phase: Phase,
): Promise<ItemChange[]> {
  const changes: ItemChange[] = [];
  for (const [at, { price, quantity = 1, metadata }] of phase.items.entries()) {
    const found = await findObject(tx, "price", String(price));
    if (!found || !isRecurring(found))
      throw new Error(`Phase item ${String(price)} is not a recurring price`);
    changes.push({ id: items.data[at]?.id, price: found, quantity, metadata: metadata ?? {} });
  }
  const superfluous = items.data.slice(phase.items.length);
  return [...changes, ...superfluous.map(({ id }) => ({ id, deleted: true }))];
}

function asParam({ coupon, discount }: Phase["discounts"][number]) {
  return discount ? { discount: String(discount) } : { coupon: String(coupon) };
}
