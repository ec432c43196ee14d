import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  integer,
  integerBetween,
  mergeMetadata,
  metadata,
  readParams,
  single,
  text,
  url,
} from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import {
  createdParam,
  findOr404,
  insertObject,
  listObjects,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { expireOverdueSessions, expireSession } from "./expiry.ts";
import { newCheckoutSession } from "./new-session.ts";
import { addOrder, lineItemsOf, sellablePrice } from "./order.ts";

const HALF_HOUR_SECONDS = 30 * 60;
const DAY_SECONDS = 24 * 60 * 60;

/** What Stripe shows of the seller's own words: https://docs.stripe.com/api/checkout/sessions/create */
const customText = text.max(1200, { error: "Invalid string: must be at most 1200 characters" });

const createSchema = z.strictObject({
  mode: z.enum(["subscription"]),
  customer: text,
  line_items: single(z.strictObject({ price: text, quantity: integerBetween(1, 999_999) })),
  success_url: url,
  cancel_url: url.optional(),
  client_reference_id: text.optional(),
  metadata,
  subscription_data: z.strictObject({ metadata }).optional(),
  expires_at: integer.optional(),
  allow_promotion_codes: boolean.optional(),
  custom_text: z.strictObject({ submit: z.strictObject({ message: customText }).optional() }).optional(),
});

export async function createCheckoutSession(call: ApiCall): Promise<Stripe.Checkout.Session> {
  const { tx, publicOrigin } = call;
  const params = readParams(createSchema, call.params);
  const customer = await existingCustomer(tx, params.customer);
  const [item] = params.line_items;
  const price = await sellablePrice(tx, item.price);

  const id = newId("cs_test");
  const session = newCheckoutSession(tx, {
    id,
    url: `${publicOrigin}/sandbox/stripe/checkout/${id}`,
    customer,
    currency: price.currency,
    total: (price.unit_amount ?? 0) * item.quantity,
    success_url: params.success_url,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    submit_text: params.custom_text?.submit?.message ?? null,
    metadata: mergeMetadata({}, params.metadata),
    expires_at: expiry(tx, params.expires_at),
  });
  await insertObject(tx, session);
  await addOrder(tx, session, {
    price,
    quantity: item.quantity,
    subscription_metadata: mergeMetadata({}, params.subscription_data?.metadata),
  });
  return session;
}

function expiry(tx: Transaction, requested: number | undefined): number {
  if (requested === undefined) return tx.now + DAY_SECONDS;
  if (requested < tx.now + HALF_HOUR_SECONDS) {
    const message = "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.";
    throw invalidRequest(message, { param: "expires_at" });
  }
  if (requested > tx.now + DAY_SECONDS) {
    const message = "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.";
    throw invalidRequest(message, { param: "expires_at" });
  }
  return requested;
}

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
