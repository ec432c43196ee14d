import type Stripe from "stripe";
import { findObject, lockOr404 } from "../store.ts";
import type { ProrationBehavior } from "../subscriptions/change.ts";
import { endSubscription } from "../subscriptions/end.ts";
import { periodOf } from "../subscriptions/items.ts";
import { saveSubscription } from "../subscriptions/subscriptions.ts";
import type { Transaction } from "../transaction.ts";
import { applyPhase, changedAtRenewal, itemChanges, type Phase } from "./apply-phase.ts";
import { completeSchedule, saveSchedule } from "./end-schedule.ts";

/** The current phase is over: the next one begins, or the schedule ends as its `end_behavior` says. */
export async function enterNextPhase(tx: Transaction, id: string): Promise<void> {
  const schedule = await lockOr404(tx, "subscription_schedule", id);
  const subscription = await lockOr404(tx, "subscription", String(schedule.subscription));
  const endedAt = schedule.current_phase?.end_date ?? tx.now;
  const phase = phaseAt(schedule, endedAt);
  if (phase) {
    const { start_date, end_date } = phase;
    await saveSchedule(tx, schedule, { ...schedule, current_phase: { start_date, end_date } });
    await applyPhase(tx, subscription, phase, phase.proration_behavior as ProrationBehavior);
    return;
  }
  await completeSchedule(tx, schedule);
  if (schedule.end_behavior === "cancel") {
    await endSubscription(tx, subscription, { endedAt, reason: "cancellation_requested" });
  } else {
    await saveSubscription(tx, subscription, { ...subscription, schedule: null });
  }
}

function phaseAt({ phases }: Stripe.SubscriptionSchedule, time: number): Phase | undefined {
  return phases.find(({ start_date, end_date }) => start_date >= time && end_date > time);
}

/** What the subscription will be at the end of its period, if its schedule enters a phase then. */
export async function atNextPhase(
  tx: Transaction,
  subscription: Stripe.Subscription,
): Promise<Stripe.Subscription> {
  if (!subscription.schedule) return subscription;
  const schedule = await findObject(tx, "subscription_schedule", String(subscription.schedule));
  const { current_period_end } = periodOf(subscription);
  const end = schedule?.current_phase?.end_date;
  if (!schedule || end === undefined || end > current_period_end) return subscription;
  const phase = phaseAt(schedule, end);
  if (!phase) return subscription;
  const changes = await itemChanges(tx, subscription, phase);
  return changedAtRenewal(subscription, changes, current_period_end);
}
