import type Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, integerBetween, readParams, text } from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { findOr404, listObjects, pageParams } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { addPaymentIntent } from "./new-payment-intent.ts";

const createSchema = z.strictObject({
  amount: integerBetween(1, 99_999_999),
  currency: text,
  customer: text.optional(),
});

export async function createPaymentIntent({ tx, params }: ApiCall): Promise<Stripe.PaymentIntent> {
  const { amount, currency, customer = null } = readParams(createSchema, params);
  if (customer) await existingCustomer(tx, customer);
  return addPaymentIntent(tx, { amount, currency: currency.toLowerCase(), customer, description: null });
}

export async function retrievePaymentIntent({ tx, id }: ApiCall): Promise<Stripe.PaymentIntent> {
  return findOr404(tx, "payment_intent", id);
}

const listSchema = z.strictObject({ ...pageParams, customer: text.optional() });

export async function listPaymentIntents({ tx, params }: ApiCall) {
  const { customer, ...range } = readParams(listSchema, params);
  return listObjects(tx, "payment_intent", "/v1/payment_intents", { ...range, having: { customer } });
}

/** The id of the invoice that a payment is for. */
export async function invoiceOf(tx: Transaction, intent: Stripe.PaymentIntent): Promise<string | undefined> {
  const having = { payment: { payment_intent: intent.id } };
  const { data } = await listObjects(tx, "invoice_payment", "", { limit: 1, having });
  return data[0] && String(data[0].invoice);
}
