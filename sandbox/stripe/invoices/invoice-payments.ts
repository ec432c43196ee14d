import type Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { findOr404, listObjects, pageParams } from "../store.ts";

export async function retrieveInvoicePayment({ tx, id }: ApiCall): Promise<Stripe.InvoicePayment> {
  return findOr404(tx, "invoice_payment", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  invoice: text.optional(),
  payment: z.strictObject({ payment_intent: text.optional(), type: z.enum(["payment_intent"]) }).optional(),
  status: z.enum(["canceled", "open", "paid"]).optional(),
});

export async function listInvoicePayments({ tx, params }: ApiCall) {
  const { invoice, payment, status, ...range } = readParams(listSchema, params);
  return listObjects(tx, "invoice_payment", "/v1/invoice_payments", {
    ...range,
    having: { invoice, payment, status },
  });
}
