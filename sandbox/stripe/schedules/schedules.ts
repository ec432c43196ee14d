import { isDeepStrictEqual } from "node:util";
import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { recordEvent } from "../objects/events.ts";
import { findObject, insertObject, lockOr404 } from "../store.ts";
import { saveSubscription } from "../subscriptions/subscriptions.ts";
import type { Transaction } from "../transaction.ts";
import { applyPhase, type Phase } from "./apply-phase.ts";
import { releaseSchedule, saveSchedule } from "./end-schedule.ts";
import { scheduleFrom } from "./new-schedule.ts";
import { phasesParam, prorationBehavior, readPhases } from "./phases.ts";

type Schedule = Stripe.SubscriptionSchedule;

const createSchema = z.strictObject({ from_subscription: text });

/** Of a subscription that exists: https://docs.stripe.com/api/subscription_schedules/create */
export async function createSchedule({ tx, params }: ApiCall): Promise<Schedule> {
  const { from_subscription: id } = readParams(createSchema, params);
  if (!(await findObject(tx, "subscription", id))) {
    throw resourceMissing("subscription", id, "from_subscription");
  }
  const subscription = await lockOr404(tx, "subscription", id);
  if (["canceled", "incomplete", "incomplete_expired"].includes(subscription.status)) {
    const message = `You cannot create a schedule for a subscription that is ${subscription.status}.`;
    throw invalidRequest(message, { param: "from_subscription" });
  }
  if (subscription.schedule) {
    const message = `You cannot migrate a subscription that is already attached to a schedule: ${String(subscription.schedule)}.`;
    throw invalidRequest(message, { param: "from_subscription" });
  }
  const schedule = scheduleFrom(tx, subscription);
  await insertObject(tx, schedule);
  await recordEvent(tx, { type: "subscription_schedule.created", data: { object: schedule } });
  await saveSubscription(tx, subscription, { ...subscription, schedule: schedule.id });
  return schedule;
}

const updateSchema = z.strictObject({
  phases: phasesParam.optional(),
  end_behavior: z.enum(["cancel", "release"]).optional(),
  proration_behavior: prorationBehavior.default("create_prorations"),
});

/** A change of the current phase changes the subscription at once. */
export async function updateSchedule({ tx, params, id }: ApiCall): Promise<Schedule> {
  const update = readParams(updateSchema, params);
  const before = await lockRunning(tx, id, "update");
  const phases = update.phases ? await readPhases(tx, before, update.phases) : before.phases;
  const [was, is] = [currentOf(before, before.phases), currentOf(before, phases)];
  if (!is) throw invalidRequest("The phases must include the current one.", { param: "phases" });
  const after = await saveSchedule(tx, before, {
    ...before,
    phases,
    current_phase: { start_date: is.start_date, end_date: is.end_date },
    end_behavior: update.end_behavior ?? before.end_behavior,
  });
  if (!isDeepStrictEqual([was?.items, was?.discounts], [is.items, is.discounts])) {
    const subscription = await lockOr404(tx, "subscription", String(before.subscription));
    await applyPhase(tx, subscription, is, update.proration_behavior);
  }
  await showEnd(tx, after);
  return after;
}

function currentOf({ current_phase }: Schedule, phases: Phase[]): Phase | undefined {
  return phases.find(({ start_date }) => start_date === current_phase?.start_date);
}

/** The subscription shows when a schedule will cancel it. */
async function showEnd(tx: Transaction, { end_behavior, phases, subscription: id }: Schedule): Promise<void> {
  const before = await lockOr404(tx, "subscription", String(id));
  const cancel_at = end_behavior === "cancel" ? (phases.at(-1)?.end_date ?? null) : null;
  if (cancel_at === before.cancel_at) return;
  await saveSubscription(tx, before, {
    ...before,
    cancel_at,
    cancel_at_period_end: false,
    canceled_at: cancel_at === null ? null : tx.now,
  });
}

/** An end that was set is taken back with it: https://docs.stripe.com/api/subscription_schedules/release */
export async function releaseScheduleNow({ tx, id }: ApiCall): Promise<Schedule> {
  const before = await lockRunning(tx, id, "release");
  const subscription = await lockOr404(tx, "subscription", String(before.subscription));
  const released = await releaseSchedule(tx, before);
  await saveSubscription(tx, subscription, {
    ...subscription,
    schedule: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
  });
  return released;
}

/** The schedule, locked. @throws Stripe's 400 when it has ended */
async function lockRunning(tx: Transaction, id: string, action: string): Promise<Schedule> {
  const schedule = await lockOr404(tx, "subscription_schedule", id);
  if (schedule.status === "active" || schedule.status === "not_started") return schedule;
  throw invalidRequest(
    `You cannot ${action} a subscription schedule that is currently in the \`${schedule.status}\` status. It must be in the \`active\` or \`not_started\` status.`,
  );
}
