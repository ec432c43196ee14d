import type Stripe from "stripe";
import { invalidRequest } from "../api/errors.ts";
import { changeCustomer, lockCustomer } from "../customers.ts";
import { addObject, recordEvent, replaceWithEvent } from "../events.ts";
import { addPaymentIntent, attemptPayment, type PaymentOutcome } from "../payments/payments.ts";
import {
  findAll,
  findObject,
  findOr404,
  insertObject,
  lockObject,
  lockOr404,
  newId,
  replaceObject,
  stripeObject,
} from "../store.ts";
import { afterInvoice, afterInvoiceVoided } from "../subscriptions/subscriptions.ts";
import type { Transaction } from "../transaction.ts";
import { applyBalance, composeInvoice, type NewInvoice } from "./compose.ts";

/** Stores an invoice in draft. A subscription need not be stored yet; its `latest_invoice` is the caller's to set. */
export async function draftInvoice(tx: Transaction, fields: Omit<NewInvoice, "customer">) {
  const customer = await lockCustomer(tx, String(fields.subscription.customer));
  const invoice = await composeInvoice(tx, { ...fields, customer });
  await addObject(tx, "invoice.created", invoice);
  return invoice;
}

/** Gives a draft its number, takes the customer's balance into account and asks for the rest: `open` from here on. */
export async function finalizeInvoice(tx: Transaction, id: string): Promise<Stripe.Invoice> {
  const invoice = await lockInvoice(tx, id);
  const customer = await lockCustomer(tx, String(invoice.customer));
  const sequence = customer.next_invoice_sequence ?? 1;
  await replaceObject(tx, { ...customer, next_invoice_sequence: sequence + 1 });
  const { amount_due, ending_balance } = applyBalance(invoice.total, customer.balance);
  const page = `${tx.publicOrigin}/sandbox/stripe/invoice/${id}`;
  const open: Stripe.Invoice = {
    ...invoice,
    amount_due,
    amount_remaining: amount_due,
    ending_balance,
    hosted_invoice_url: page,
    invoice_pdf: `${page}/pdf`,
    number: `${customer.invoice_prefix}-${String(sequence).padStart(4, "0")}`,
    starting_balance: customer.balance,
    status: "open",
    status_transitions: { ...invoice.status_transitions, finalized_at: tx.now },
  };
  await addToBalance(tx, open, ending_balance - customer.balance);
  await replaceWithEvent(tx, "invoice.finalized", open);
  if (amount_due > 0) {
    const intent = await addPaymentIntent(tx, {
      amount: amount_due,
      currency: open.currency,
      customer: customer.id,
      description: `Subscription ${invoice.billing_reason === "subscription_create" ? "creation" : "update"}`,
    });
    const payment = stripeObject<Stripe.InvoicePayment>({
      id: newId("inpay"),
      object: "invoice_payment",
      amount_paid: null,
      created: tx.now,
      currency: open.currency,
      invoice: id,
      is_default: true,
      payment: { payment_intent: intent.id, type: "payment_intent" },
      status: "open",
    });
    await insertObject(tx, payment);
  }
  return open;
}

/**
 * Changes what the customer has in credit, if the amount is not 0: negative is credit for them, positive is owed by them.
 * https://docs.stripe.com/billing/customer/balance
 */
async function addToBalance(tx: Transaction, invoice: Stripe.Invoice, amount: number): Promise<void> {
  if (amount === 0) return;
  const customer = await lockOr404(tx, "customer", String(invoice.customer));
  if (customer.deleted) return;
  const currency = customer.currency ?? invoice.currency;
  await changeCustomer(tx, customer, { balance: customer.balance + amount, currency });
}

export interface Collection {
  /** A card other than the default one of the subscription or the customer. */
  paymentMethod?: string | undefined;
  /** The cardholder has just confirmed this payment, or refused to. */
  authentication?: "succeeded" | "failed" | undefined;
  /** The time of the next attempt if this one fails, in unix seconds; unchanged if omitted. */
  nextPaymentAttempt?: number | null;
}

/**
 * Finalizes the invoice if it is a draft, and tries to collect it. Locks the subscription, the customer and the invoice, in this
 * order. The subscription may have changed afterwards: read it again.
 */
export async function collectInvoice(
  tx: Transaction,
  id: string,
  { paymentMethod: chosen, authentication, nextPaymentAttempt }: Collection = {},
): Promise<PaymentOutcome> {
  const found = await lockInvoice(tx, id);
  const invoice = found.status === "draft" ? await finalizeInvoice(tx, id) : found;
  if (invoice.status === "paid") return "paid";
  if (invoice.status === "void") throw invalidRequest("This invoice is void, and cannot be paid.");
  if (invoice.amount_remaining === 0) {
    await settle(tx, invoice, 0);
    return "paid";
  }
  const { intent, payment } = await invoicePaymentOf(tx, invoice);
  const paymentMethod = await cardFor(tx, invoice, chosen);
  const outcome = paymentMethod
    ? await attemptPayment(tx, { intent, paymentMethod, authentication })
    : "failed";
  const attempted: Stripe.Invoice = {
    ...invoice,
    // A confirmed attempt was counted when confirmation was requested.
    attempt_count: Math.max(1, invoice.attempt_count + (authentication ? 0 : 1)),
    ...(nextPaymentAttempt !== undefined && { next_payment_attempt: nextPaymentAttempt }),
  };
  if (outcome === "paid") {
    const paid = { ...payment, amount_paid: invoice.amount_remaining, status: "paid" };
    await replaceWithEvent(tx, "invoice_payment.paid", paid);
    await settle(tx, attempted, invoice.amount_remaining);
    return outcome;
  }
  await replaceObject(tx, attempted);
  if (outcome === "requires_action") await recordEvent(tx, "invoice.payment_action_required", attempted);
  await recordEvent(tx, "invoice.payment_failed", attempted);
  await afterInvoice(tx, attempted, outcome);
  return outcome;
}

/** Records that an invoice is paid: by `amount` in money, in minor units, and the rest by the customer's balance. */
async function settle(tx: Transaction, invoice: Stripe.Invoice, amount: number): Promise<void> {
  const paid: Stripe.Invoice = {
    ...invoice,
    amount_paid: invoice.amount_paid + amount,
    amount_remaining: 0,
    next_payment_attempt: null,
    status: "paid",
    status_transitions: { ...invoice.status_transitions, paid_at: tx.now },
  };
  await replaceWithEvent(tx, "invoice.paid", paid);
  await recordEvent(tx, "invoice.payment_succeeded", paid);
  await afterInvoice(tx, paid, "paid");
}

/** The card an invoice is charged to; the customer may have none. */
async function cardFor(tx: Transaction, invoice: Stripe.Invoice, chosen: string | undefined) {
  const customer = await findOr404(tx, "customer", String(invoice.customer));
  const id =
    chosen ??
    (await findObject(tx, "subscription", subscriptionOf(invoice)))?.default_payment_method ??
    (customer.deleted ? null : customer.invoice_settings.default_payment_method);
  return id ? findObject(tx, "payment_method", String(id)) : undefined;
}

export function invoicesOf(tx: Transaction, subscription: string): Promise<Stripe.Invoice[]> {
  return findAll(tx, "invoice", { parent: { subscription_details: { subscription } } });
}

export function subscriptionOf({ parent }: Stripe.Invoice): string {
  return String(parent?.subscription_details?.subscription);
}

/** The invoice, locked after its subscription and its customer. @throws Stripe's 404 */
export async function lockInvoice(tx: Transaction, id: string): Promise<Stripe.Invoice> {
  const found = await findOr404(tx, "invoice", id);
  await lockObject(tx, "subscription", subscriptionOf(found));
  await lockOr404(tx, "customer", String(found.customer));
  return lockOr404(tx, "invoice", id);
}

async function invoicePaymentOf(tx: Transaction, { id }: Stripe.Invoice) {
  const [payment] = await findAll(tx, "invoice_payment", { invoice: id });
  if (!payment) throw new Error(`Nothing pays invoice ${id}`);
  const intent = await lockOr404(tx, "payment_intent", String(payment.payment.payment_intent));
  return { payment, intent };
}

/** Nothing is owed any more: https://docs.stripe.com/invoicing/overview#void */
export async function voidInvoice(tx: Transaction, id: string): Promise<Stripe.Invoice> {
  const before = await lockInvoice(tx, id);
  if (before.status !== "open") {
    throw invalidRequest(`You can only void an invoice that is open. This invoice is ${before.status}.`);
  }
  if (before.amount_remaining > 0) {
    const { payment, intent } = await invoicePaymentOf(tx, before);
    await replaceObject(tx, { ...payment, status: "canceled" });
    const canceled: Stripe.PaymentIntent = { ...intent, next_action: null, status: "canceled" };
    await replaceWithEvent(tx, "payment_intent.canceled", canceled);
  }
  const after: Stripe.Invoice = {
    ...before,
    next_payment_attempt: null,
    status: "void",
    status_transitions: { ...before.status_transitions, voided_at: tx.now },
  };
  // Returns what was paid from the customer's balance.
  await addToBalance(tx, after, before.starting_balance - (before.ending_balance ?? before.starting_balance));
  await replaceWithEvent(tx, "invoice.voided", after);
  await afterInvoiceVoided(tx, after);
  return after;
}
