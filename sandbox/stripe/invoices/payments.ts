import type Stripe from "stripe";
import { recordEvent } from "../objects/events.ts";
import { insertObject, listObjects, lockOr404, newId, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** What joins an invoice and the payment that was made for it. */
export async function addInvoicePayment(
  tx: Transaction,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
): Promise<void> {
  await insertObject(tx, {
    id: newId("inpay"),
    object: "invoice_payment",
    amount_paid: null,
    amount_requested: invoice.amount_remaining,
    created: tx.now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: "payment_intent" },
    status: "open",
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** The payment that an open invoice waits for, locked. */
export async function invoicePaymentOf(
  tx: Transaction,
  invoice: Stripe.Invoice,
): Promise<{ payment: Stripe.InvoicePayment; intent: Stripe.PaymentIntent }> {
  const [payment] = (await paymentsOf(tx, invoice.id)).data;
  if (!payment?.payment.payment_intent) throw new Error(`Nothing pays invoice ${invoice.id}`);
  const intent = await lockOr404(tx, "payment_intent", String(payment.payment.payment_intent));
  return { payment, intent };
}

/** The `payments` of an invoice, which are shown only when expanded. */
export async function paymentsOf(
  tx: Transaction,
  invoice: string,
): Promise<Stripe.ApiList<Stripe.InvoicePayment>> {
  return listObjects(tx, "invoice_payment", "/v1/invoice_payments", { limit: 10, having: { invoice } });
}

export async function payInvoicePayment(tx: Transaction, payment: Stripe.InvoicePayment): Promise<void> {
  const paid: Stripe.InvoicePayment = {
    ...payment,
    amount_paid: payment.amount_requested,
    status: "paid",
    status_transitions: { ...payment.status_transitions, paid_at: tx.now },
  };
  await replaceObject(tx, paid);
  await recordEvent(tx, { type: "invoice_payment.paid", data: { object: paid } });
}

/** Nobody can pay an invoice that is void. */
export async function cancelInvoicePayment(
  tx: Transaction,
  invoice: Stripe.Invoice,
  reason: Stripe.PaymentIntent.CancellationReason,
): Promise<void> {
  if (invoice.amount_remaining === 0) return;
  const { payment, intent } = await invoicePaymentOf(tx, invoice);
  await replaceObject(tx, {
    ...payment,
    status: "canceled",
    status_transitions: { ...payment.status_transitions, canceled_at: tx.now },
  });
  const canceled: Stripe.PaymentIntent = {
    ...intent,
    canceled_at: tx.now,
    cancellation_reason: reason,
    next_action: null,
    status: "canceled",
  };
  await replaceObject(tx, canceled);
  await recordEvent(tx, { type: "payment_intent.canceled", data: { object: canceled } });
}
