import type Stripe from "stripe";
import { accessUntil } from "../lifecycle.ts";
import type { stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { stripeIdOf } from "../stripe.server.ts";
import type { Purchase } from "./plan-prices.server.ts";

export type InvoiceRow = Omit<
  Required<typeof stripeInvoices.$inferInsert>,
  "userId" | "syncTicket" | "updatedAt"
>;

export function subscriptionIdOf({ parent }: Stripe.Invoice): string | null {
  return stripeIdOf(parent?.subscription_details?.subscription);
}

/** @param payments by id, with their charges. @param disputes by the payment's id */
export function toInvoiceRow(
  invoice: Stripe.Invoice,
  payments: ReadonlyMap<string, Stripe.PaymentIntent>,
  disputes: ReadonlyMap<string, Stripe.Dispute>,
): InvoiceRow {
  const line = mainLine(invoice);
  const paymentIds = paymentIdsOf(invoice);
  const own = paymentIds.flatMap((id) => payments.get(id) ?? []);
  const status = invoice.status ?? "draft";
  return {
    id: invoice.id,
    subscriptionId: subscriptionIdOf(invoice),
    number: invoice.number,
    status,
    billingReason: invoice.billing_reason,
    description: invoice.description ?? line?.description ?? null,
    priceId: stripeIdOf(line?.pricing?.price_details?.price),
    currency: invoice.currency,
    total: invoice.total,
    tax: taxOf(invoice),
    amountDue: invoice.amount_due,
    amountPaid: invoice.amount_paid,
    amountRefunded: own.reduce((sum, payment) => sum + refundedOf(chargeOf(payment)), 0),
    ...failedRefundOf(own),
    createdAt: fromUnixSeconds(invoice.created),
    paidAt: instantOrNull(invoice.status_transitions.paid_at),
    periodStart: instantOrNull(line?.period.start),
    periodEnd: instantOrNull(line?.period.end),
    attemptCount: invoice.attempt_count,
    nextAttemptAt: status === "open" ? instantOrNull(invoice.next_payment_attempt) : null,
    needsAuthentication: status === "open" && own.some((payment) => payment.status === "requires_action"),
    declineCode: status === "paid" ? null : (own.map(declineCodeOf).find(Boolean) ?? null),
    hostedUrl: invoice.hosted_invoice_url ?? null,
    pdfUrl: invoice.invoice_pdf ?? null,
    paymentIntentId: paymentIds[0] ?? null,
    disputeStatus: paymentIds.flatMap((id) => disputes.get(id)?.status ?? [])[0] ?? null,
  };
}

/** In minor units, whether it was added to the prices or is part of them. */
export function taxOf({ total_taxes }: Pick<Stripe.Invoice, "total_taxes">): number {
  return (total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
}

function declineCodeOf({ last_payment_error: error }: Stripe.PaymentIntent): string | null {
  return error?.decline_code ?? error?.code ?? null;
}

/** Without refunds that failed. */
function refundedOf(charge: Stripe.Charge | null): number {
  const { amount_refunded = 0, refunds } = charge ?? {};
  if (!refunds || refunds.has_more) return amount_refunded;
  return Math.min(amount_refunded, sumOf(refunds.data.filter(isMade)));
}

function isMade({ status }: Stripe.Refund): boolean {
  return status !== "failed" && status !== "canceled";
}

const sumOf = (refunds: readonly Stripe.Refund[]) => refunds.reduce((sum, { amount }) => sum + amount, 0);

export const REFUNDED_AGAIN = "again";
export const REFUND_SETTLED = "settled";

/** What banks sent back (https://docs.stripe.com/refunds#failed-refunds) and was not refunded again. */
function failedRefundOf(
  payments: readonly Stripe.PaymentIntent[],
): Pick<InvoiceRow, "refundFailed" | "refundFailure" | "refundFailedAt"> {
  const charges = payments.flatMap((payment) => chargeOf(payment) ?? []);
  const refunds = charges.flatMap((charge) => charge.refunds?.data ?? []);
  const failed = refunds.filter(({ status, metadata }) => status === "failed" && !metadata?.[REFUND_SETTLED]);
  const isAgain = ({ metadata }: Stripe.Refund) => metadata?.[REFUNDED_AGAIN] !== undefined;
  const left = charges.reduce((sum, charge) => sum + charge.amount_captured - refundedOf(charge), 0);
  const owed = Math.min(
    sumOf(failed.filter((refund) => !isAgain(refund))) - sumOf(refunds.filter(isMade).filter(isAgain)),
    left,
  );
  const last = failed.toSorted((one, other) => other.created - one.created)[0];
  if (!last || owed <= 0) return { refundFailed: 0, refundFailure: null, refundFailedAt: null };
  return {
    refundFailed: owed,
    refundFailure: last.failure_reason ?? "unknown",
    refundFailedAt: fromUnixSeconds(last.created),
  };
}

/** The default payment first: an invoice may be paid in parts, or at a second try. */
export function paymentIdsOf({ payments }: Stripe.Invoice): string[] {
  const byImportance = (payments?.data ?? []).toSorted(
    (one, other) => Number(other.is_default) - Number(one.is_default),
  );
  return byImportance.flatMap(({ payment }) => stripeIdOf(payment.payment_intent) ?? []);
}

/** The line that ends last and is not a credit for a changed plan. */
function mainLine({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined {
  return lines.data.toSorted(
    (one, other) => other.period.end - one.period.end || other.amount - one.amount,
  )[0];
}

export const DAYS_GIVEN = "days_given";

export type SubscriptionRow = Omit<
  Required<typeof stripeSubscriptions.$inferInsert>,
  "userId" | "syncTicket" | "updatedAt"
>;

const RENEWING_STATUSES = ["active", "trialing", "past_due"];

/** Whether it will be charged again: neither its end nor a pause comes first. */
export function isRenewing({ subscription, item }: Purchase): boolean {
  const cancelAt = cancelInstant(subscription, item);
  const endsFirst = cancelAt !== null && cancelAt <= fromUnixSeconds(item.current_period_end);
  return RENEWING_STATUSES.includes(subscription.status) && !endsFirst && !subscription.pause_collection;
}

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
    daysGiven: daysGivenTo(subscription),
  };
  return {
    id: subscription.id,
    priceId,
    tier,
    isTaxed: subscription.automatic_tax?.enabled ?? false,
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

/** As `giveDays` writes them to Stripe. */
export function daysGivenTo({ metadata }: Pick<Stripe.Subscription, "metadata">): number | null {
  const days = metadata[DAYS_GIVEN];
  return days && /^\d{1,5}$/.test(days) ? Number(days) : null;
}

function cancelInstant(subscription: Stripe.Subscription, item: Stripe.SubscriptionItem): Date | null {
  if (subscription.cancel_at) return fromUnixSeconds(subscription.cancel_at);
  return subscription.cancel_at_period_end ? fromUnixSeconds(item.current_period_end) : null;
}

function nextPrice({ subscription: { schedule }, priceId }: Purchase) {
  if (!schedule) return { nextPriceId: null, scheduleId: null };
  if (typeof schedule === "string") return { nextPriceId: null, scheduleId: schedule };
  const { current_phase: current, phases } = schedule;
  const next = current && phases.find(({ start_date }) => start_date >= current.end_date);
  const nextPriceId = stripeIdOf(next?.items[0]?.price);
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

export function cardOnFile(
  customer: Stripe.Customer | Stripe.DeletedCustomer | null,
  subscriptions: readonly Stripe.Subscription[],
) {
  const own = !customer || customer.deleted ? null : customer.invoice_settings.default_payment_method;
  const method = subscriptions.map((each) => each.default_payment_method).find(Boolean) ?? own;
  const card = typeof method === "string" ? null : method?.card;
  return {
    paymentMethodId: stripeIdOf(method),
    cardBrand: card?.brand ?? null,
    cardLast4: card?.last4 ?? null,
    cardExpMonth: card?.exp_month ?? null,
    cardExpYear: card?.exp_year ?? null,
  };
}

export function fromUnixSeconds(seconds: number): Date {
  return new Date(seconds * 1000);
}

function instantOrNull(seconds: number | null | undefined): Date | null {
  return seconds ? fromUnixSeconds(seconds) : null;
}

export function chargeOf({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof charge === "string" ? null : charge;
}
