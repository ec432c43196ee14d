import { isDeepStrictEqual } from "node:util";
import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { type ApiCall, integer, integerBetween, list, readParams, text, unsettable } from "../api/params.ts";
import { discountsParam } from "../coupons.ts";
import { addObject, replaceWithEvent, saveChanges } from "../events.ts";
import { lockObject, lockOr404, newId, stripeObject } from "../store.ts";
import { periodOf, quantity, recurringPrice } from "../subscriptions/items.ts";
import { addIntervals } from "../subscriptions/periods.ts";
import { prorationBehavior } from "../subscriptions/proration.ts";
import { saveSubscription } from "../subscriptions/subscriptions.ts";
import { automaticTaxParam } from "../tax.ts";
import type { Transaction } from "../transaction.ts";
import { applyPhase, type Phase, type Schedule } from "./run-schedule.ts";

const createSchema = z.strictObject({ from_subscription: text });

/** From an existing subscription: https://docs.stripe.com/api/subscription_schedules/create */
export async function createSchedule({ tx, params }: ApiCall): Promise<Schedule> {
  const { from_subscription: id } = readParams(createSchema, params);
  const param = "from_subscription";
  const subscription = await lockObject(tx, "subscription", id);
  if (!subscription) throw resourceMissing("subscription", id, param);
  if (subscription.status === "canceled") {
    const message = `You cannot create a schedule for a subscription that is ${subscription.status}.`;
    throw invalidRequest(message, { param });
  }
  if (subscription.schedule) {
    const message = `You cannot migrate a subscription that is already attached to a schedule: ${String(subscription.schedule)}.`;
    throw invalidRequest(message, { param });
  }
  const schedule = scheduleFrom(tx, subscription);
  await addObject(tx, "subscription_schedule.created", schedule);
  await saveSubscription(tx, subscription, { ...subscription, schedule: schedule.id });
  return schedule;
}

/** A schedule whose one phase is what the subscription is now, until its period ends. */
function scheduleFrom(tx: Transaction, subscription: Stripe.Subscription): Schedule {
  const { current_period_start: start_date, current_period_end } = periodOf(subscription);
  const end_date = subscription.cancel_at ?? current_period_end;
  const phase = stripeObject<Phase>({
    automatic_tax: { enabled: subscription.automatic_tax?.enabled ?? false },
    start_date,
    end_date,
    items: subscription.items.data.map(({ price, quantity = 1 }) => ({ price: price.id, quantity })),
    discounts: subscription.discounts.map((discount) => ({ discount: String(discount) })),
    proration_behavior: "create_prorations",
    trial_end: subscription.status === "trialing" ? subscription.trial_end : null,
  });
  return stripeObject<Schedule>({
    id: newId("sub_sched"),
    object: "subscription_schedule",
    canceled_at: null,
    created: tx.now,
    current_phase: { start_date, end_date },
    customer: String(subscription.customer),
    end_behavior: subscription.cancel_at === null ? "release" : "cancel",
    metadata: {},
    phases: [phase],
    status: "active",
    subscription: subscription.id,
    test_clock: subscription.test_clock as string | null,
  });
}

const phaseParam = z.strictObject({
  items: list(z.strictObject({ price: text, quantity: quantity.optional() })),
  start_date: integer.optional(),
  end_date: integer.optional(),
  duration: z
    .strictObject({
      interval: z.enum(["day", "week", "month", "year"]),
      interval_count: integerBetween(1, 60).default(1),
    })
    .optional(),
  automatic_tax: automaticTaxParam,
  discounts: unsettable(discountsParam).optional(),
  proration_behavior: prorationBehavior,
  trial_end: integer.optional(),
});

const updateSchema = z.strictObject({
  phases: list(phaseParam),
  end_behavior: z.enum(["release"]).optional(),
  proration_behavior: prorationBehavior,
});

/** A change of the current phase changes the subscription at once. */
export async function updateSchedule({ tx, params, id }: ApiCall): Promise<Schedule> {
  const { phases: given, end_behavior, proration_behavior } = readParams(updateSchema, params);
  const before = await lockRunning(tx, id, "update");
  const phases = await readPhases(tx, before, given);
  const current = (all: Phase[]) =>
    all.find(({ start_date }) => start_date === before.current_phase?.start_date);
  const [was, is] = [current(before.phases), current(phases)];
  if (!is) throw invalidRequest("The phases must include the current one.", { param: "phases" });
  const after = await saveChanges(tx, "subscription_schedule.updated", before, {
    ...before,
    phases,
    current_phase: { start_date: is.start_date, end_date: is.end_date },
    end_behavior: end_behavior ?? before.end_behavior,
  });
  const subscription = await lockOr404(tx, "subscription", String(before.subscription));
  if (!isDeepStrictEqual([was?.items, was?.discounts], [is.items, is.discounts]))
    await applyPhase(tx, subscription, is, proration_behavior);
  if (after.end_behavior === "release") await takeBackEnd(tx, after);
  return after;
}

/** An end that was set would come before the schedule's next phase. */
async function takeBackEnd(tx: Transaction, { subscription }: Schedule): Promise<void> {
  const before = await lockOr404(tx, "subscription", String(subscription));
  const noEnd = { cancel_at: null, cancel_at_period_end: false, canceled_at: null };
  if (before.cancel_at !== null) await saveSubscription(tx, before, { ...before, ...noEnd });
}

/** The phases of an update, consecutive and without gaps. @throws Stripe's 400 */
async function readPhases(tx: Transaction, schedule: Schedule, params: z.output<typeof phaseParam>[]) {
  const phases: Phase[] = [];
  let start = schedule.current_phase?.start_date ?? tx.now;
  for (const [at, { items, start_date, end_date, duration, discounts, ...fields }] of params.entries()) {
    if (start_date !== undefined && start_date !== start) {
      const message = `The start date of phase ${at} must be ${start}.`;
      throw invalidRequest(message, { param: `phases[${at}][start_date]` });
    }
    const priced = [];
    let interval: { interval: Stripe.Price.Recurring.Interval; interval_count: number } | undefined =
      duration;
    for (const [n, { price, quantity = 1 }] of items.entries()) {
      // A price that is in the schedule already may have been retired since.
      const isRetiredFine = schedule.phases.some((phase) => phase.items.some((item) => item.price === price));
      const param = `phases[${at}][items][${n}][price]`;
      const { recurring } = await recurringPrice(tx, price, param, { isRetiredFine });
      interval ??= recurring;
      priced.push({ price, quantity });
    }
    const end = end_date ?? addIntervals(interval ?? { interval: "month", interval_count: 1 }, start, 1);
    if (end <= start || end <= tx.now) {
      const message = `The end date of phase ${at} must be after its start, and in the future.`;
      throw invalidRequest(message, { param: `phases[${at}][end_date]` });
    }
    const phase = { ...fields, start_date: start, end_date: end, items: priced, discounts: discounts ?? [] };
    phases.push(stripeObject<Phase>({ ...phase, trial_end: fields.trial_end ?? null }));
    start = end;
  }
  return phases;
}

/** The schedule lets go of its subscription, an end with it: https://docs.stripe.com/api/subscription_schedules/release */
export async function releaseScheduleNow({ tx, id }: ApiCall): Promise<Schedule> {
  const before = await lockRunning(tx, id, "release");
  const released = await replaceWithEvent(tx, "subscription_schedule.released", {
    ...before,
    current_phase: null,
    status: "released",
    subscription: null,
  });
  await takeBackEnd(tx, before);
  const subscription = await lockOr404(tx, "subscription", String(before.subscription));
  await saveSubscription(tx, subscription, { ...subscription, schedule: null });
  return released;
}

/** The schedule, locked. @throws Stripe's 400 when it has ended */
async function lockRunning(tx: Transaction, id: string, action: string): Promise<Schedule> {
  const schedule = await lockOr404(tx, "subscription_schedule", id);
  if (schedule.status === "active") return schedule;
  throw invalidRequest(
    `You cannot ${action} a subscription schedule that is currently in the \`${schedule.status}\` status. It must be in the \`active\` or \`not_started\` status.`,
  );
}
