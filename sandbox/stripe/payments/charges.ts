import type Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { findOr404, listObjects, pageParams } from "../store.ts";

export async function retrieveCharge({ tx, id }: ApiCall): Promise<Stripe.Charge> {
  return findOr404(tx, "charge", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  customer: text.optional(),
});

export async function listCharges({ tx, params }: ApiCall) {
  const { customer, ...range } = readParams(listSchema, params);
  return listObjects(tx, "charge", "/v1/charges", { ...range, having: { customer } });
}
