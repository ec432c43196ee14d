import type Stripe from "stripe";
import { z } from "zod";
import { cardError, invalidRequest, type StripeApiError } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  integerBetween,
  mergeMetadata,
  metadata,
  readParams,
  text,
  url,
} from "../api/params.ts";
import { collectInvoice } from "../invoices/bill.ts";
import { existingCustomer } from "../objects/customers.ts";
import { findOr404, listObjects, lockOr404, pageParams, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { payableCard } from "./attachment.ts";
import { attemptPayment } from "./attempt.ts";
import { addPaymentIntent } from "./new-payment-intent.ts";

const createSchema = z.strictObject({
  amount: integerBetween(1, 99_999_999),
  currency: text,
  customer: text.optional(),
  description: text.optional(),
  payment_method: text.optional(),
  confirm: boolean.optional(),
  off_session: boolean.optional(),
  setup_future_usage: z.enum(["off_session", "on_session"]).optional(),
  metadata,
});

export async function createPaymentIntent({ tx, params }: ApiCall) {
  const fields = readParams(createSchema, params);
  if (fields.customer) await existingCustomer(tx, fields.customer);
  const intent = await addPaymentIntent(tx, {
    amount: fields.amount,
    currency: fields.currency.toLowerCase(),
    customer: fields.customer ?? null,
    description: fields.description ?? null,
    metadata: mergeMetadata({}, fields.metadata),
    setup_future_usage: fields.setup_future_usage ?? null,
  });
  if (!fields.payment_method) return intent;
  const paymentMethod = await payableCard(tx, fields.payment_method, "payment_method");
  const ready: Stripe.PaymentIntent = {
    ...intent,
    payment_method: paymentMethod.id,
    status: "requires_confirmation",
  };
  await replaceObject(tx, ready);
  return fields.confirm ? confirm(tx, ready, paymentMethod) : ready;
}

export async function retrievePaymentIntent({ tx, id }: ApiCall): Promise<Stripe.PaymentIntent> {
  return findOr404(tx, "payment_intent", id);
}

const listSchema = z.strictObject({ ...pageParams, customer: text.optional() });

export async function listPaymentIntents({ tx, params }: ApiCall) {
  const { customer, ...range } = readParams(listSchema, params);
  return listObjects(tx, "payment_intent", "/v1/payment_intents", { ...range, having: { customer } });
}

const confirmSchema = z.strictObject({
  payment_method: text.optional(),
  off_session: boolean.optional(),
  return_url: url.optional(),
});

/** Of an invoice's payment too, which pays the invoice. https://docs.stripe.com/api/payment_intents/confirm */
export async function confirmPaymentIntent({ tx, params, id }: ApiCall) {
  const { payment_method } = readParams(confirmSchema, params);
  const invoice = await invoiceOf(tx, await findOr404(tx, "payment_intent", id));
  const intent = invoice
    ? await findOr404(tx, "payment_intent", id)
    : await lockOr404(tx, "payment_intent", id);
  if (intent.status === "succeeded" || intent.status === "canceled") {
    const message = `You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`;
    throw invalidRequest(message, { code: "payment_intent_unexpected_state" });
  }
  const chosen = payment_method ?? (intent.payment_method && String(intent.payment_method));
  if (!chosen) {
    const message =
      "You cannot confirm this PaymentIntent because it's missing a payment method. Update it with a payment method, or pass one when you confirm it.";
    throw invalidRequest(message, { code: "payment_intent_unexpected_state" });
  }
  return confirm(tx, intent, await payableCard(tx, chosen, "payment_method"), invoice);
}

/** A refused card is Stripe's 402, and what was tried is kept. */
async function confirm(
  tx: Transaction,
  intent: Stripe.PaymentIntent,
  paymentMethod: Stripe.PaymentMethod,
  invoice?: string,
): Promise<Stripe.PaymentIntent | StripeApiError> {
  const outcome = invoice
    ? await collectInvoice(tx, invoice, { offSession: false, paymentMethod: paymentMethod.id })
    : await attemptPayment(tx, { intent, paymentMethod });
  const tried = await findOr404(tx, "payment_intent", intent.id);
  const reason = tried.last_payment_error;
  if (outcome !== "failed" || !reason) return tried;
  return cardError(reason.message ?? "", reason.code ?? "", {
    charge: reason.charge,
    decline_code: reason.decline_code,
    payment_intent: tried,
  });
}

/** The id of the invoice that a payment is for. */
export async function invoiceOf(tx: Transaction, intent: Stripe.PaymentIntent): Promise<string | undefined> {
  const having = { payment: { payment_intent: intent.id } };
  const { data } = await listObjects(tx, "invoice_payment", "", { limit: 1, having });
  return data[0] && String(data[0].invoice);
}
