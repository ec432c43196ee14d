import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "../api/errors.ts";
import { type ApiCall, boolean, readParams, text, unsettable } from "../api/params.ts";
import { replaceWithEvent, saveChanges } from "../events.ts";
import { collectInvoice, invoicesOf, subscriptionOf } from "../invoices/bill.ts";
import { endScheduleOf } from "../schedules/run-schedule.ts";
import { findAll, findOr404, lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { discardPendingUpdate } from "./pending-update.ts";
import { DAY_SECONDS } from "./periods.ts";

type Subscription = Stripe.Subscription;

export const cancellationDetails = z.strictObject({
  comment: unsettable(text).optional(),
  feedback: unsettable(
    z.enum([
      "customer_service",
      "low_quality",
      "missing_features",
      "other",
      "switched_service",
      "too_complex",
      "too_expensive",
      "unused",
    ]),
  ).optional(),
});

const isFalse = boolean.refine((value) => !value, {
  error: "The unused time is not billed or credited here.",
});
const cancelSchema = z.strictObject({
  cancellation_details: cancellationDetails.optional(),
  invoice_now: isFalse.optional(),
  prorate: isFalse.optional(),
});

/** Cancels immediately. One that has ended already is not found: https://docs.stripe.com/api/subscriptions/cancel */
export async function cancelSubscription({ tx, params, id }: ApiCall): Promise<Subscription> {
  const { cancellation_details } = readParams(cancelSchema, params);
  const subscription = await lockOr404(tx, "subscription", id);
  if (subscription.status === "canceled") throw resourceMissing("subscription", id);
  return endSubscription(tx, subscription, { reason: "cancellation_requested", ...cancellation_details });
}

export async function cancelSubscriptionsOf(tx: Transaction, customer: string): Promise<void> {
  for (const subscription of await findAll(tx, "subscription", { customer }))
    if (subscription.status !== "canceled")
      await endSubscription(tx, subscription, { reason: "cancellation_requested" });
}

interface End {
  /** Unix seconds: the end of the paid period if it was canceled at period end; now, if left out. */
  endedAt?: number;
  /** Why, if it was not asked for before. */
  reason?: Stripe.Subscription.CancellationDetails.Reason | null;
  comment?: string | null | undefined;
  feedback?: Stripe.Subscription.CancellationDetails.Feedback | null | undefined;
}

/** Ends a subscription, its schedule and the attempts to have its invoices paid. It must be locked. */
export async function endSubscription(
  tx: Transaction,
  subscription: Subscription,
  { endedAt = tx.now, reason = null, comment, feedback }: End,
): Promise<Subscription> {
  const before = await discardPendingUpdate(tx, subscription);
  await endScheduleOf(tx, before, reason);
  await stopCollection(tx, before.id);
  const details = before.cancellation_details;
  return replaceWithEvent(tx, "customer.subscription.deleted", {
    ...before,
    status: "canceled",
    canceled_at: before.canceled_at ?? endedAt,
    ended_at: endedAt,
    cancellation_details: {
      comment: comment ?? details?.comment ?? null,
      feedback: feedback ?? details?.feedback ?? null,
      feedback_option: null,
      reason: details?.reason ?? reason,
    },
    schedule: null,
  });
}

/** Days after the invoice. Stripe's smart retries choose their own times. */
const RETRY_DAYS = [3, 5, 7];

/** When an unpaid invoice is tried again, in unix seconds; null after the last time. */
export function nextRetry(created: number, now: number): number | null {
  const times = RETRY_DAYS.map((days) => created + days * DAY_SECONDS);
  return times.find((time) => time > now) ?? null;
}

/** Tries again to have a subscription's invoice paid, and ends the subscription after the last time. */
export async function retryPayment(tx: Transaction, id: string): Promise<void> {
  const invoice = await findOr404(tx, "invoice", id);
  const nextPaymentAttempt = nextRetry(invoice.created, tx.now);
  const outcome = await collectInvoice(tx, id, { nextPaymentAttempt });
  if (outcome === "paid" || nextPaymentAttempt !== null) return;
  const subscription = await lockOr404(tx, "subscription", subscriptionOf(invoice));
  if (subscription.status === "past_due" && subscription.latest_invoice === id)
    await endSubscription(tx, subscription, { reason: "payment_failed" });
}

/** The open invoices of a subscription are not tried any more. They can still be paid by hand. */
async function stopCollection(tx: Transaction, subscription: string): Promise<void> {
  for (const invoice of await invoicesOf(tx, subscription))
    await saveChanges(tx, "invoice.updated", invoice, { ...invoice, next_payment_attempt: null });
}
