import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { findOr404, listObjects, lockOr404, pageParams } from "../store.ts";
import { expireOverdueSessions, expireSession } from "./expiry.ts";

export async function retrieveCheckoutSession({ tx, id }: ApiCall): Promise<Stripe.Checkout.Session> {
  await expireOverdueSessions(tx);
  return findOr404(tx, "checkout.session", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  status: z.enum(["complete", "expired", "open"]).optional(),
});

export async function listCheckoutSessions({ tx, params }: ApiCall) {
  await expireOverdueSessions(tx);
  const { customer, status, ...range } = readParams(listSchema, params);
  return listObjects(tx, "checkout.session", "/v1/checkout/sessions", {
    ...range,
    having: { customer, status },
  });
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
