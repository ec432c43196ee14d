import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, mergeMetadata, metadata, readParams, text } from "../api/params.ts";
import { createdParam, findOr404, listObjects, lockOr404, pageParams, replaceObject } from "../store.ts";
import { expireOverdueSessions, expireSession } from "./expiry.ts";
import { lineItemsOf } from "./order.ts";

export async function retrieveCheckoutSession({ tx, id }: ApiCall): Promise<Stripe.Checkout.Session> {
  await expireOverdueSessions(tx);
  return findOr404(tx, "checkout.session", id);
}

/** The one thing that can still be changed of most sessions: https://docs.stripe.com/api/checkout/sessions/update */
export async function updateCheckoutSession({ tx, params, id }: ApiCall): Promise<Stripe.Checkout.Session> {
  const { metadata: changes } = readParams(z.strictObject({ metadata }), params);
  await expireOverdueSessions(tx);
  const session = await lockOr404(tx, "checkout.session", id);
  const updated = { ...session, metadata: mergeMetadata(session.metadata ?? {}, changes) };
  await replaceObject(tx, updated);
  return updated;
}

export async function listCheckoutLineItems({ tx, params, id }: ApiCall) {
  readParams(z.strictObject(pageParams), params);
  return lineItemsOf(tx, await findOr404(tx, "checkout.session", id));
}

const listSchema = z.strictObject({
  ...pageParams,
  created: createdParam,
  customer: text.optional(),
  customer_details: z.strictObject({ email: text }).optional(),
  payment_intent: text.optional(),
  status: z.enum(["complete", "expired", "open"]).optional(),
  subscription: text.optional(),
});

export async function listCheckoutSessions({ tx, params }: ApiCall) {
  await expireOverdueSessions(tx);
  const { limit, starting_after, ending_before, created, ...having } = readParams(listSchema, params);
  const range = { limit, starting_after, ending_before, created };
  return listObjects(tx, "checkout.session", "/v1/checkout/sessions", { ...range, having });
}

/** Only an open one: https://docs.stripe.com/api/checkout/sessions/expire */
export async function expireCheckoutSession({ tx, id }: ApiCall): Promise<Stripe.Checkout.Session> {
  await expireOverdueSessions(tx);
  const session = await lockOr404(tx, "checkout.session", id);
  if (session.status !== "open") {
    const rule = 'Only Checkout Sessions with a status in ["open"] can be expired.';
    throw invalidRequest(`${rule} This Checkout Session has a status of \`${session.status}\`.`);
  }
  return expireSession(tx, session);
}
