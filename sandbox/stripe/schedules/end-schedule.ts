import type Stripe from "stripe";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import { lockOr404, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

type Schedule = Stripe.SubscriptionSchedule;

/** Saves the changes and records their event, if there are any. */
export async function saveSchedule(tx: Transaction, before: Schedule, after: Schedule): Promise<Schedule> {
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "subscription_schedule.updated", data });
  return after;
}

/** Its subscription ends: so does the schedule. */
export async function endScheduleOf(
  tx: Transaction,
  { schedule: id }: Stripe.Subscription,
  reason: string | null,
): Promise<void> {
  if (!id) return;
  const before = await lockOr404(tx, "subscription_schedule", String(id));
  if (before.status !== "active" && before.status !== "not_started") return;
  const after: Schedule = { ...before, canceled_at: tx.now, current_phase: null, status: "canceled" };
  await replaceObject(tx, after);
  const type =
    reason === "payment_failed" ? "subscription_schedule.aborted" : "subscription_schedule.canceled";
  await recordEvent(tx, { type, data: { object: after } });
}

/** The schedule lets go of its subscription, which goes on as it is. */
export async function releaseSchedule(tx: Transaction, before: Schedule): Promise<Schedule> {
  const after: Schedule = {
    ...before,
    current_phase: null,
    released_at: tx.now,
    released_subscription: before.subscription === null ? null : String(before.subscription),
    status: "released",
    subscription: null,
  };
  await replaceObject(tx, after);
  await recordEvent(tx, { type: "subscription_schedule.released", data: { object: after } });
  return after;
}

/** Its last phase is over: it cancels its subscription, or lets it go. */
export async function completeSchedule(tx: Transaction, before: Schedule): Promise<void> {
  const after: Schedule = {
    ...before,
    completed_at: tx.now,
    current_phase: null,
    status: "completed",
    ...(before.end_behavior === "release" && {
      released_subscription: String(before.subscription),
      subscription: null,
    }),
  };
  await replaceObject(tx, after);
  await recordEvent(tx, { type: "subscription_schedule.completed", data: { object: after } });
}
