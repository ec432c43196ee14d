import type Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { findOr404, listObjects, pageParams } from "../store.ts";
import { voidInvoice } from "./bill.ts";

export async function retrieveInvoice({ tx, id }: ApiCall): Promise<Stripe.Invoice> {
  return findOr404(tx, "invoice", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  subscription: text.optional(),
  status: z.enum(["draft", "open", "paid", "uncollectible", "void"]).optional(),
});

export async function listInvoices({ tx, params }: ApiCall) {
  const { customer, subscription, status, ...range } = readParams(listSchema, params);
  const parent = subscription && { subscription_details: { subscription } };
  return listObjects(tx, "invoice", "/v1/invoices", {
    ...range,
    having: { customer, status, ...(parent && { parent }) },
  });
}

export async function voidInvoiceNow({ tx, id }: ApiCall): Promise<Stripe.Invoice> {
  return voidInvoice(tx, id);
}

const paymentsSchema = z.strictObject({ ...pageParams, invoice: text.optional() });

export async function listInvoicePayments({ tx, params }: ApiCall) {
  const { invoice, ...range } = readParams(paymentsSchema, params);
  return listObjects(tx, "invoice_payment", "/v1/invoice_payments", { ...range, having: { invoice } });
}
