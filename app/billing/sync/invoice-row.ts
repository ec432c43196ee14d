import type Stripe from "stripe";
import type { stripeInvoices } from "../schema.ts";
import { chargeOf } from "./fetch.server.ts";
import { fromUnixSeconds, instantOrNull } from "./instants.ts";

/** An invoice as it is stored, but for whose it is and when it was asked for. */
export type InvoiceRow = Omit<
  Required<typeof stripeInvoices.$inferInsert>,
  "userId" | "syncTicket" | "updatedAt"
>;

/** The subscription an invoice is for; `null` for one the operator wrote by hand. */
export function subscriptionIdOf({ parent }: Stripe.Invoice): string | null {
  const subscription = parent?.subscription_details?.subscription ?? null;
  return typeof subscription === "string" ? subscription : (subscription?.id ?? null);
}

/**
 * @param payments by id, with their charges
 * @param disputes by the id of the payment
 */
export function toInvoiceRow(
  invoice: Stripe.Invoice,
  payments: ReadonlyMap<string, Stripe.PaymentIntent>,
  disputes: ReadonlyMap<string, Stripe.Dispute>,
): InvoiceRow {
  const line = mainLine(invoice);
  const price = line?.pricing?.price_details?.price ?? null;
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
    priceId: typeof price === "string" ? price : (price?.id ?? null),
    currency: invoice.currency,
    total: invoice.total,
    amountDue: invoice.amount_due,
    amountPaid: invoice.amount_paid,
    amountRefunded: own.reduce((sum, payment) => sum + (chargeOf(payment)?.amount_refunded ?? 0), 0),
    createdAt: fromUnixSeconds(invoice.created),
    paidAt: instantOrNull(invoice.status_transitions.paid_at),
    periodStart: instantOrNull(line?.period.start),
    periodEnd: instantOrNull(line?.period.end),
    attemptCount: invoice.attempt_count,
    nextAttemptAt: status === "open" ? instantOrNull(invoice.next_payment_attempt) : null,
    needsAuthentication: status === "open" && own.some((payment) => payment.status === "requires_action"),
    hostedUrl: invoice.hosted_invoice_url ?? null,
    pdfUrl: invoice.invoice_pdf ?? null,
    paymentIntentId: paymentIds[0] ?? null,
    disputeStatus: paymentIds.flatMap((id) => disputes.get(id)?.status ?? [])[0] ?? null,
  };
}

/** The payments of an invoice, the one that counts first: an invoice may be paid in parts, or by a second try. */
export function paymentIdsOf({ payments }: Stripe.Invoice): string[] {
  const byImportance = (payments?.data ?? []).toSorted(
    (one, other) => Number(other.is_default) - Number(one.is_default),
  );
  return byImportance.flatMap(({ payment: { payment_intent: payment } }) => {
    if (!payment) return [];
    return typeof payment === "string" ? payment : payment.id;
  });
}

/** What it is for: the line that reaches furthest, and not what is given back for a plan that was changed. */
function mainLine({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined {
  return lines.data.toSorted(
    (one, other) => other.period.end - one.period.end || other.amount - one.amount,
  )[0];
}
