import type Stripe from "stripe";
import { invalidRequest } from "../api/errors.ts";
import { recordEvent } from "../objects/events.ts";
import { attemptPayment, type PaymentOutcome } from "../payments/attempt.ts";
import { addPaymentIntent } from "../payments/new-payment-intent.ts";
import { findObject, findOr404, insertObject, lockOr404, replaceObject } from "../store.ts";
import { afterInvoice, afterInvoiceVoided } from "../subscriptions/after-payment.ts";
import type { Transaction } from "../transaction.ts";
import { addToBalance, numberInvoice } from "./account.ts";
import { applyBalance, composeInvoice, type NewInvoice } from "./compose.ts";
import { addInvoicePayment, cancelInvoicePayment, invoicePaymentOf, payInvoicePayment } from "./payments.ts";

/**
 * Stores an invoice in draft. `customer` is its id. A subscription need not be stored yet; its `latest_invoice` is the
 * caller's to set.
 */
export async function draftInvoice(
  tx: Transaction,
  { customer, ...fields }: Omit<NewInvoice, "customer"> & { customer: string },
): Promise<Stripe.Invoice> {
  const payer = await lockOr404(tx, "customer", customer);
  if (payer.deleted) throw new Error(`${customer} has been deleted, and cannot be billed`);
  const invoice = await composeInvoice(tx, { ...fields, customer: payer });
  await insertObject(tx, invoice);
  await recordEvent(tx, { type: "invoice.created", data: { object: invoice } });
  return invoice;
}

/** Gives a draft its number, takes the customer's balance into account and asks for the rest: `open` from here on. */
export async function finalizeInvoice(tx: Transaction, id: string): Promise<Stripe.Invoice> {
  const invoice = await lockInvoice(tx, id);
  if (invoice.status !== "draft") {
    throw invalidRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.");
  }
  const customer = await findOr404(tx, "customer", String(invoice.customer));
  const balance = customer.deleted ? 0 : customer.balance;
  const { amount_due, ending_balance } = applyBalance(invoice.total, balance);
  const page = `${tx.publicOrigin}/sandbox/stripe/invoice/${id}`;
  const open: Stripe.Invoice = {
    ...invoice,
    amount_due,
    amount_remaining: amount_due,
    auto_advance: true,
    effective_at: tx.now,
    ending_balance,
    hosted_invoice_url: page,
    invoice_pdf: `${page}/pdf`,
    number: await numberInvoice(tx, String(invoice.customer)),
    starting_balance: balance,
    status: "open",
    status_transitions: { ...invoice.status_transitions, finalized_at: tx.now },
  };
  await addToBalance(tx, open, ending_balance - balance);
  await replaceObject(tx, open);
  await recordEvent(tx, { type: "invoice.finalized", data: { object: open } });
  if (amount_due > 0) {
    const intent = await addPaymentIntent(tx, {
      amount: amount_due,
      currency: open.currency,
      customer: String(open.customer),
      description: descriptionOf(open),
    });
    await addInvoicePayment(tx, open, intent);
  }
  return open;
}

function descriptionOf({ billing_reason, number }: Stripe.Invoice): string {
  if (billing_reason === "subscription_create") return "Subscription creation";
  return billing_reason?.startsWith("subscription") ? "Subscription update" : `Payment for Invoice ${number}`;
}

interface Collection {
  /** A card other than the default one of the subscription or the customer. */
  paymentMethod?: string | undefined;
  /** The cardholder has just confirmed this payment, or refused to. */
  authentication?: "succeeded" | "failed" | undefined;
  /** When the next attempt is made if this one fails, in unix seconds; as it was, if left out. */
  nextPaymentAttempt?: number | null;
}

/**
 * Finalizes the invoice if it is a draft, and tries to have it paid. Locks the subscription, the customer and the invoice,
 * in this order. The subscription may be another one afterwards: read it again.
 */
export async function collectInvoice(
  tx: Transaction,
  id: string,
  collection: Collection = {},
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
  const paymentMethod = await cardFor(tx, invoice, collection.paymentMethod);
  const { authentication } = collection;
  const outcome = paymentMethod
    ? await attemptPayment(tx, { intent, paymentMethod, ...(authentication && { authentication }) })
    : "failed";
  const attempted: Stripe.Invoice = {
    ...invoice,
    attempt_count: invoice.attempt_count + (authentication ? 0 : 1),
    attempted: true,
    ...(collection.nextPaymentAttempt !== undefined && {
      next_payment_attempt: collection.nextPaymentAttempt,
    }),
  };
  if (outcome === "paid") {
    await payInvoicePayment(tx, payment);
    await settle(tx, attempted, invoice.amount_remaining);
  } else {
    await replaceObject(tx, attempted);
    if (outcome === "requires_action") {
      await recordEvent(tx, { type: "invoice.payment_action_required", data: { object: attempted } });
    }
    await recordEvent(tx, { type: "invoice.payment_failed", data: { object: attempted } });
    await afterInvoice(tx, attempted, outcome);
  }
  return outcome;
}

/** Records that an invoice is paid: by `amount` in money, in minor units, and the rest by the customer's balance. */
async function settle(tx: Transaction, invoice: Stripe.Invoice, amount: number): Promise<Stripe.Invoice> {
  const paid: Stripe.Invoice = {
    ...invoice,
    amount_paid: invoice.amount_paid + amount,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: "paid",
    status_transitions: { ...invoice.status_transitions, paid_at: tx.now },
  };
  await replaceObject(tx, paid);
  await recordEvent(tx, { type: "invoice.paid", data: { object: paid } });
  await recordEvent(tx, { type: "invoice.payment_succeeded", data: { object: paid } });
  await afterInvoice(tx, paid, "paid");
  return paid;
}

/** The card an invoice is charged to; the customer may have none. */
async function cardFor(
  tx: Transaction,
  invoice: Stripe.Invoice,
  chosen: string | undefined,
): Promise<Stripe.PaymentMethod | undefined> {
  const subscription = subscriptionOf(invoice);
  const customer = await findOr404(tx, "customer", String(invoice.customer));
  const id =
    chosen ??
    invoice.default_payment_method ??
    (subscription && (await findObject(tx, "subscription", subscription))?.default_payment_method) ??
    (customer.deleted ? null : customer.invoice_settings.default_payment_method);
  return id ? findObject(tx, "payment_method", String(id)) : undefined;
}

export function subscriptionOf(invoice: Stripe.Invoice): string | undefined {
  const subscription = invoice.parent?.subscription_details?.subscription;
  return subscription ? String(subscription) : undefined;
}

/** The invoice, locked after its subscription and its customer. @throws Stripe's 404 */
export async function lockInvoice(tx: Transaction, id: string): Promise<Stripe.Invoice> {
  const found = await findOr404(tx, "invoice", id);
  const subscription = subscriptionOf(found);
  if (subscription && (await findObject(tx, "subscription", subscription))) {
    await lockOr404(tx, "subscription", subscription);
  }
  await lockOr404(tx, "customer", String(found.customer));
  return lockOr404(tx, "invoice", id);
}

/** Nothing is owed any more: https://docs.stripe.com/invoicing/overview#void */
export async function voidInvoice(tx: Transaction, id: string): Promise<Stripe.Invoice> {
  const before = await lockInvoice(tx, id);
  if (before.status !== "open") {
    throw invalidRequest(`You can only void an invoice that is open. This invoice is ${before.status}.`);
  }
  await cancelInvoicePayment(tx, before, "void_invoice");
  const after: Stripe.Invoice = {
    ...before,
    auto_advance: false,
    next_payment_attempt: null,
    status: "void",
    status_transitions: { ...before.status_transitions, voided_at: tx.now },
  };
  // What the balance had paid of it is the customer's again.
  const used = before.starting_balance - (before.ending_balance ?? before.starting_balance);
  await addToBalance(tx, after, used);
  await replaceObject(tx, after);
  await recordEvent(tx, { type: "invoice.voided", data: { object: after } });
  await afterInvoiceVoided(tx, after);
  return after;
}
