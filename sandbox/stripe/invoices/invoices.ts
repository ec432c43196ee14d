import type Stripe from "stripe";
import { z } from "zod";
import { cardError, invalidRequest, type StripeApiError } from "../api/errors.ts";
import { type ApiCall, boolean, mergeMetadata, metadata, readParams, text } from "../api/params.ts";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import { payableCard } from "../payments/attachment.ts";
import { findOr404, listObjects, lockOr404, pageParams, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { collectInvoice, finalizeInvoice, lockInvoice, markUncollectible, voidInvoice } from "./bill.ts";
import { invoicePaymentOf } from "./payments.ts";

export async function retrieveInvoice({ tx, id }: ApiCall): Promise<Stripe.Invoice> {
  return findOr404(tx, "invoice", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  subscription: text.optional(),
  status: z.enum(["draft", "open", "paid", "uncollectible", "void"]).optional(),
  collection_method: z.enum(["charge_automatically", "send_invoice"]).optional(),
});

export async function listInvoices({ tx, params }: ApiCall) {
  const { customer, subscription, status, collection_method, ...range } = readParams(listSchema, params);
  const parent = subscription && { subscription_details: { subscription } };
  return listObjects(tx, "invoice", "/v1/invoices", {
    ...range,
    having: { customer, status, collection_method, ...(parent && { parent }) },
  });
}

const updateSchema = z.strictObject({
  metadata,
  description: text.optional(),
  auto_advance: boolean.optional(),
});

export async function updateInvoice({ tx, params, id }: ApiCall): Promise<Stripe.Invoice> {
  const { metadata, ...changes } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "invoice", id);
  const after: Stripe.Invoice = {
    ...before,
    ...changes,
    metadata: mergeMetadata(before.metadata ?? {}, metadata),
  };
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  await replaceObject(tx, after);
  await recordEvent(tx, { type: "invoice.updated", data: { object: after, previous_attributes: previous } });
  return after;
}

const linesSchema = z.strictObject(pageParams);

export async function listInvoiceLines({ tx, params, id }: ApiCall) {
  const { limit, starting_after } = readParams(linesSchema, params);
  const { lines } = await findOr404(tx, "invoice", id);
  const start = starting_after ? lines.data.findIndex((line) => line.id === starting_after) + 1 : 0;
  const data = lines.data.slice(start, start + limit);
  return { ...lines, data, has_more: start + limit < lines.data.length };
}

const finalizeSchema = z.strictObject({ auto_advance: boolean.optional() });

export async function finalizeInvoiceNow({ tx, params, id }: ApiCall): Promise<Stripe.Invoice> {
  readParams(finalizeSchema, params);
  await finalizeInvoice(tx, id);
  return findOr404(tx, "invoice", id);
}

const paySchema = z.strictObject({
  payment_method: text.optional(),
  off_session: boolean.optional(),
});

/** A card that is refused is Stripe's 402; what was tried is kept. https://docs.stripe.com/api/invoices/pay */
export async function payInvoice({ tx, params, id }: ApiCall): Promise<Stripe.Invoice | StripeApiError> {
  const { payment_method, off_session = true } = readParams(paySchema, params);
  const before = await lockInvoice(tx, id);
  if (before.status === "paid") throw invalidRequest("Invoice is already paid");
  const card = payment_method && (await payableCard(tx, payment_method, "payment_method")).id;
  const outcome = await collectInvoice(tx, id, { offSession: off_session, paymentMethod: card });
  return outcome === "paid" ? findOr404(tx, "invoice", id) : whyUnpaid(tx, id, outcome);
}

/** Stripe's 402 for an invoice whose payment has just failed. */
export async function whyUnpaid(
  tx: Transaction,
  id: string,
  outcome: "failed" | "requires_action",
): Promise<StripeApiError> {
  const { intent } = await invoicePaymentOf(tx, await findOr404(tx, "invoice", id));
  if (outcome === "requires_action") return actionRequired(intent);
  const { last_payment_error: reason } = intent;
  return reason
    ? cardError(reason.message ?? "", reason.code ?? "", {
        decline_code: reason.decline_code,
        charge: reason.charge,
        payment_intent: intent,
      })
    : invalidRequest(
        "There is no `default_payment_method` set on this Customer or Invoice. Please set either field, or pass `payment_method`.",
        { code: "missing" },
      );
}

function actionRequired(intent: Stripe.PaymentIntent): StripeApiError {
  return cardError(
    "This payment requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the invoice.",
    "invoice_payment_intent_requires_action",
    { payment_intent: intent },
  );
}

export async function voidInvoiceNow({ tx, id }: ApiCall): Promise<Stripe.Invoice> {
  return voidInvoice(tx, id);
}

export async function markInvoiceUncollectible({ tx, id }: ApiCall): Promise<Stripe.Invoice> {
  return markUncollectible(tx, id);
}
