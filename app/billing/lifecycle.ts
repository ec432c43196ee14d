import type { stripeInvoices, stripeSubscriptions } from "./schema.ts";

export type SubscriptionState = Pick<
  typeof stripeSubscriptions.$inferSelect,
  "status" | "currentPeriodStart" | "currentPeriodEnd" | "cancelAt" | "pauseBehavior" | "daysGiven"
>;

export type InvoiceState = Pick<
  typeof stripeInvoices.$inferSelect,
  "status" | "createdAt" | "amountPaid" | "amountRefunded" | "disputeStatus" | "periodEnd"
>;

/** Never the moment it ended: Stripe's clock may be ahead of ours, under a test clock by months. */
export const NO_ACCESS = new Date(0);

/** In any other status a subscription blocks a second one. */
export const ENDED_STATUSES: string[] = ["canceled", "incomplete_expired"];

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/**
 * Until when a subscription gives access; `NO_ACCESS` at once when its period is refunded in full or a dispute about it is lost.
 * - active, trialing: to the period's end, and `graceDays` (at least an hour) longer if it renews
 * - past_due: `graceDays` from the creation of the unpaid invoice; none when the payment before went back
 * - payments paused with `void`: what is paid already; otherwise as active (https://docs.stripe.com/billing/subscriptions/pause-payment)
 * - any other status: none
 */
export function accessUntil(
  subscription: SubscriptionState,
  invoices: readonly InvoiceState[],
  graceDays: number,
): Date {
  const { cancelAt } = subscription;
  if (isTakenBackFor(paidPeriodEnd(subscription), invoices)) return NO_ACCESS;
  const until = untilByStatus(subscription, invoices, graceDays);
  return cancelAt && cancelAt < until ? cancelAt : until;
}

/** Given days come after the paid period, as a trial. */
function paidPeriodEnd({ status, currentPeriodEnd, daysGiven }: SubscriptionState): Date {
  return status === "trialing"
    ? after(currentPeriodEnd, -(daysGiven ?? 0) * DAY_MILLISECONDS)
    : currentPeriodEnd;
}

function untilByStatus(
  subscription: SubscriptionState,
  invoices: readonly InvoiceState[],
  graceDays: number,
): Date {
  const { status, pauseBehavior, currentPeriodStart, currentPeriodEnd } = subscription;
  if (status === "past_due") {
    if (isTakenBackFor(currentPeriodStart ?? currentPeriodEnd, invoices)) return NO_ACCESS;
    return after(unpaidSince(subscription, invoices), graceDays * DAY_MILLISECONDS);
  }
  if (status !== "active" && status !== "trialing") return NO_ACCESS;
  if (pauseBehavior === "void") return status === "trialing" ? currentPeriodEnd : paidUntil(invoices);
  return after(currentPeriodEnd, Math.max(graceDays * DAY_MILLISECONDS, HOUR_MILLISECONDS));
}

function unpaidSince(
  { currentPeriodStart, currentPeriodEnd }: SubscriptionState,
  invoices: readonly InvoiceState[],
): Date {
  const lastPaid = latest(invoices.filter(isPaid).map(({ createdAt }) => createdAt)) ?? NO_ACCESS;
  const open = invoices.filter(({ status, createdAt }) => status === "open" && createdAt > lastPaid);
  const [first] = open
    .map(({ createdAt }) => createdAt)
    .toSorted((one, other) => one.getTime() - other.getTime());
  return first ?? currentPeriodStart ?? currentPeriodEnd;
}

function paidUntil(invoices: readonly InvoiceState[]): Date {
  const kept = invoices.filter((invoice) => invoice.status === "paid" && !isLost(invoice));
  return latest(kept.flatMap(({ periodEnd }) => periodEnd ?? [])) ?? NO_ACCESS;
}

/** A change of plan may have paid for the rest of the period separately. */
function isTakenBackFor(periodEnd: Date, invoices: readonly InvoiceState[]): boolean {
  const current = invoices.filter(
    (invoice) => isPaid(invoice) && invoice.periodEnd !== null && invoice.periodEnd >= periodEnd,
  );
  if (current.length === 0) return false;
  return current.some(({ disputeStatus }) => disputeStatus === "lost") || current.every(isLost);
}

function isPaid({ status, amountPaid }: InvoiceState): boolean {
  return status === "paid" && amountPaid > 0;
}

function isLost({ amountPaid, amountRefunded, disputeStatus }: InvoiceState): boolean {
  return disputeStatus === "lost" || (amountPaid > 0 && amountRefunded >= amountPaid);
}

function latest(dates: readonly Date[]): Date | undefined {
  return dates.toSorted((one, other) => other.getTime() - one.getTime())[0];
}

function after(date: Date, milliseconds: number): Date {
  return new Date(date.getTime() + milliseconds);
}
