import type Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import { findOr404, listObjects, pageParams, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

export async function retrieveSubscription({ tx, id }: ApiCall): Promise<Stripe.Subscription> {
  return findOr404(tx, "subscription", id);
}

const STATUSES = ["active", "canceled", "incomplete", "incomplete_expired", "past_due", "trialing", "unpaid"];

const listSchema = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  status: z.enum(["all", ...STATUSES]).optional(),
});

/** Canceled ones are listed only on request: https://docs.stripe.com/api/subscriptions/list */
export async function listSubscriptions({ tx, params }: ApiCall) {
  const { customer, status, ...range } = readParams(listSchema, params);
  return listObjects(tx, "subscription", "/v1/subscriptions", {
    ...range,
    having: { customer, ...(status && status !== "all" && { status }) },
    ...(!status && { except: { status: "canceled" } }),
  });
}

/** Saves the changes and records their event, if there are any. Returns the subscription as it is then. */
export async function saveSubscription(
  tx: Transaction,
  before: Stripe.Subscription,
  after: Stripe.Subscription,
): Promise<Stripe.Subscription> {
  const previous = previousAttributes(before, after);
  if (!previous) return after;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "customer.subscription.updated", data });
  return after;
}
