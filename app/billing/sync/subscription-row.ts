import type Stripe from "stripe";
import { accessUntil } from "../lifecycle.ts";
import type { stripeSubscriptions } from "../schema.ts";
import { fromUnixSeconds, instantOrNull } from "./instants.ts";
import type { InvoiceRow } from "./invoice-row.ts";
import type { Purchase } from "./plan-prices.server.ts";

/** A subscription as it is stored, but for whose it is and when it was asked for. */
export type SubscriptionRow = Omit<
  Required<typeof stripeSubscriptions.$inferInsert>,
  "userId" | "syncTicket" | "updatedAt"
>;

/** Statuses in which Stripe charges again when the period ends. */
const RENEWING_STATUSES = ["active", "trialing", "past_due"];

/** Whether Stripe plans a further payment: neither its end nor a pause comes first. */
export function isRenewing({ subscription, item }: Purchase): boolean {
  const cancelAt = cancelInstant(subscription, item);
  const endsFirst = cancelAt !== null && cancelAt <= fromUnixSeconds(item.current_period_end);
  return RENEWING_STATUSES.includes(subscription.status) && !endsFirst && !subscription.pause_collection;
}

/**
 * @param invoices of this subscription
 * @param preview what is charged when its period ends; `null` when nothing is
 */
export function toSubscriptionRow(
  purchase: Purchase,
  invoices: readonly InvoiceRow[],
  preview: Stripe.Invoice | null,
  graceDays: number,
): SubscriptionRow {
  const { subscription, item, priceId, tier } = purchase;
  const { pause_collection: pause } = subscription;
  const state = {
    status: subscription.status,
    currentPeriodStart: fromUnixSeconds(item.current_period_start),
    currentPeriodEnd: fromUnixSeconds(item.current_period_end),
    cancelAt: cancelInstant(subscription, item),
    pauseBehavior: pause?.behavior ?? null,
  };
  return {
    id: subscription.id,
    priceId,
    tier,
    ...state,
    accessUntil: accessUntil(state, invoices, graceDays),
    trialEnd: instantOrNull(subscription.trial_end),
    canceledAt: instantOrNull(subscription.canceled_at),
    endedAt: instantOrNull(subscription.ended_at),
    resumesAt: instantOrNull(pause?.resumes_at),
    ...nextPrice(purchase),
    ...nextPayment(state, invoices, preview),
    startedAt: fromUnixSeconds(subscription.start_date),
  };
}

function cancelInstant(subscription: Stripe.Subscription, item: Stripe.SubscriptionItem): Date | null {
  if (subscription.cancel_at) return fromUnixSeconds(subscription.cancel_at);
  return subscription.cancel_at_period_end ? fromUnixSeconds(item.current_period_end) : null;
}

/** What its schedule changes it to when the current phase ends. */
function nextPrice({ subscription: { schedule }, priceId }: Purchase) {
  if (!schedule) return { nextPriceId: null, scheduleId: null };
  if (typeof schedule === "string") return { nextPriceId: null, scheduleId: schedule };
  const { current_phase: current, phases } = schedule;
  const next = current && phases.find(({ start_date }) => start_date >= current.end_date);
  const price = next?.items[0]?.price ?? null;
  const nextPriceId = typeof price === "string" ? price : (price?.id ?? null);
  return { nextPriceId: nextPriceId === priceId ? null : nextPriceId, scheduleId: schedule.id };
}

/** While a payment is due, the next try; otherwise the next renewal. */
function nextPayment(
  { status, currentPeriodEnd }: Pick<SubscriptionRow, "status" | "currentPeriodEnd">,
  invoices: readonly InvoiceRow[],
  preview: Stripe.Invoice | null,
) {
  const due = invoices.find((invoice) => invoice.status === "open" && invoice.nextAttemptAt !== null);
  if (status === "past_due" && due) {
    return { nextAmount: due.amountDue - due.amountPaid, nextPaymentAt: due.nextAttemptAt };
  }
  return { nextAmount: preview?.amount_due ?? null, nextPaymentAt: preview ? currentPeriodEnd : null };
}
