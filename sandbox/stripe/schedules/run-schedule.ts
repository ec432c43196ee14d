import type Stripe from "stripe";
import { redeemDiscounts } from "../coupons.ts";
import { replaceWithEvent, saveChanges } from "../events.ts";
import { findObject, lockOr404 } from "../store.ts";
import { applyChange } from "../subscriptions/apply-change.ts";
import { endSubscription } from "../subscriptions/end.ts";
import {
  changeItems,
  type ItemChange,
  intervalOf,
  periodOf,
  recurringPrice,
  withItems,
} from "../subscriptions/items.ts";
import { discardPendingUpdate } from "../subscriptions/pending-update.ts";
import { type ProrationBehavior, planChange } from "../subscriptions/proration.ts";
import { saveSubscription } from "../subscriptions/subscriptions.ts";
import type { Transaction } from "../transaction.ts";

export type Schedule = Stripe.SubscriptionSchedule;
export type Phase = Schedule["phases"][number];
type Subscription = Stripe.Subscription;

/** The current phase is over: the next one begins, or the schedule ends as its `end_behavior` says. */
export async function enterNextPhase(tx: Transaction, id: string): Promise<void> {
  const schedule = await lockOr404(tx, "subscription_schedule", id);
  const subscription = await lockOr404(tx, "subscription", String(schedule.subscription));
  const endedAt = schedule.current_phase?.end_date ?? tx.now;
  const phase = phaseAt(schedule, endedAt);
  if (phase) {
    const current_phase = { start_date: phase.start_date, end_date: phase.end_date };
    await saveChanges(tx, "subscription_schedule.updated", schedule, { ...schedule, current_phase });
    await applyPhase(tx, subscription, phase, phase.proration_behavior as ProrationBehavior);
    return;
  }
  const isReleased = schedule.end_behavior === "release";
  await replaceWithEvent(tx, "subscription_schedule.completed", {
    ...schedule,
    current_phase: null,
    status: "completed",
    ...(isReleased && { subscription: null }),
  });
  if (isReleased) await saveSubscription(tx, subscription, { ...subscription, schedule: null });
  else await endSubscription(tx, subscription, { endedAt, reason: "cancellation_requested" });
}

function phaseAt({ phases }: Schedule, time: number): Phase | undefined {
  return phases.find(({ start_date, end_date }) => start_date >= time && end_date > time);
}

/** The subscription becomes what the phase says: at once, or with the renewal that is due at the same time. */
export async function applyPhase(
  tx: Transaction,
  subscription: Subscription,
  phase: Phase,
  proration_behavior: ProrationBehavior,
): Promise<void> {
  const before = await discardPendingUpdate(tx, subscription);
  const items = await itemChanges(tx, before, phase);
  const asked = phase.discounts.map(({ coupon, discount }) =>
    discount ? { discount: String(discount) } : { coupon: String(coupon) },
  );
  const automatic_tax = { ...before.automatic_tax, ...phase.automatic_tax };
  const base = { ...before, automatic_tax, discounts: await redeemDiscounts(tx, before, asked) };
  if (tx.now >= periodOf(before).current_period_end) {
    await saveSubscription(tx, before, changedAtRenewal(base, items, tx.now));
    return;
  }
  const plan = await planChange(tx, base, { items, proration_behavior, proration_date: tx.now });
  await applyChange(tx, before, { plan, proration_behavior, isPendingIfUnpaid: false });
}

/** The subscription with new items, to be renewed: its period is already over. */
function changedAtRenewal(before: Subscription, changes: ItemChange[], now: number): Subscription {
  const items = changeItems(before, changes, now);
  const [old, next] = [before.items.data[0], items[0]];
  const isOtherInterval = old && next && intervalOf(old.price) !== intervalOf(next.price);
  const { current_period_end } = periodOf(before);
  return {
    ...before,
    items: withItems(before, items),
    ...(isOtherInterval && { billing_cycle_anchor: current_period_end }),
  };
}

/** The items of the phase take the places of those of the subscription, in order. A price may have been retired since. */
async function itemChanges(tx: Transaction, { items }: Subscription, phase: Phase): Promise<ItemChange[]> {
  const changes: ItemChange[] = [];
  for (const [at, { price, quantity = 1 }] of phase.items.entries()) {
    const found = await recurringPrice(tx, String(price), "phases", { isRetiredFine: true });
    changes.push({ id: items.data[at]?.id, price: found, quantity });
  }
  return changes;
}

/** The subscription after its period, if its schedule enters a phase then. */
export async function atNextPhase(tx: Transaction, subscription: Subscription): Promise<Subscription> {
  const schedule = await findObject(tx, "subscription_schedule", String(subscription.schedule));
  const { current_period_end } = periodOf(subscription);
  const end = schedule?.current_phase?.end_date;
  const phase = schedule && end && end <= current_period_end && phaseAt(schedule, end);
  if (!phase) return subscription;
  return changedAtRenewal(subscription, await itemChanges(tx, subscription, phase), current_period_end);
}

export async function endScheduleOf(tx: Transaction, { schedule: id }: Subscription, reason: string | null) {
  if (!id) return;
  const before = await lockOr404(tx, "subscription_schedule", String(id));
  if (before.status !== "active") return;
  const type = `subscription_schedule.${reason === "payment_failed" ? "aborted" : "canceled"}` as const;
  const ended = { canceled_at: tx.now, current_phase: null, status: "canceled" } as const;
  await replaceWithEvent(tx, type, { ...before, ...ended });
}
