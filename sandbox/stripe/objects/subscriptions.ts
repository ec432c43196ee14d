import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { type ApiCall, boolean, mergeMetadata, metadata, readParams, text } from "../api/params.ts";
import { findOr404, listObjects, lockOr404, pageParams, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { previousAttributes, recordEvent } from "./events.ts";

export async function retrieveSubscription({ tx, id }: ApiCall): Promise<Stripe.Subscription> {
  return findOr404(tx, "subscription", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  price: text.optional(),
  status: z
    .enum([
      "active",
      "all",
      "canceled",
      "ended",
      "incomplete",
      "incomplete_expired",
      "past_due",
      "paused",
      "trialing",
      "unpaid",
    ])
    .optional(),
});

/** Canceled ones are listed only on request: https://docs.stripe.com/api/subscriptions/list */
export async function listSubscriptions({ tx, params }: ApiCall) {
  const { customer, price, status, ...range } = readParams(listSchema, params);
  return listObjects(tx, "subscription", "/v1/subscriptions", {
    ...range,
    having: {
      customer,
      ...(price && { items: { data: [{ price: { id: price } }] } }),
      ...(status && status !== "all" && { status: status === "ended" ? "canceled" : status }),
    },
    ...(!status && { except: { status: "canceled" } }),
  });
}

const updateSchema = z.strictObject({ cancel_at_period_end: boolean.optional(), metadata });

export async function updateSubscription({ tx, params, id }: ApiCall): Promise<Stripe.Subscription> {
  const { cancel_at_period_end, metadata } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "subscription", id);
  if (before.status === "canceled" && cancel_at_period_end !== undefined) {
    throw invalidRequest("A canceled subscription can only update its cancellation_details and metadata.");
  }
  const after = {
    ...before,
    ...(cancel_at_period_end !== undefined && cancelAtPeriodEnd(tx, before, cancel_at_period_end)),
    metadata: mergeMetadata(before.metadata, metadata),
  };
  await saveSubscription(tx, before, after);
  return after;
}

function cancelAtPeriodEnd(
  tx: Transaction,
  subscription: Stripe.Subscription,
  cancel: boolean,
): Partial<Stripe.Subscription> {
  if (cancel === subscription.cancel_at_period_end) return {};
  return {
    cancel_at_period_end: cancel,
    cancel_at: cancel ? (subscription.items.data[0]?.current_period_end ?? null) : null,
    canceled_at: cancel ? tx.now : null,
    cancellation_details: cancellation(cancel ? "cancellation_requested" : null),
  };
}

/** Saves the changes and records their event, if there are any. */
export async function saveSubscription(
  tx: Transaction,
  before: Stripe.Subscription,
  after: Stripe.Subscription,
): Promise<void> {
  const previous = previousAttributes(before, after);
  if (!previous) return;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "customer.subscription.updated", data });
}

/** Accepted, but without effect here: there are no invoices. */
const cancelSchema = z.strictObject({
  cancellation_details: z.unknown().optional(),
  invoice_now: boolean.optional(),
  prorate: boolean.optional(),
});

/** Cancels immediately. One that has ended already is not found: https://docs.stripe.com/api/subscriptions/cancel */
export async function cancelSubscription({ tx, params, id }: ApiCall): Promise<Stripe.Subscription> {
  readParams(cancelSchema, params);
  const subscription = await lockOr404(tx, "subscription", id);
  if (subscription.status === "canceled") throw resourceMissing("subscription", id);
  return endSubscription(tx, subscription, tx.now);
}

/** `endedAt` in unix seconds: the end of the paid period if it was canceled at period end, else now. */
export async function endSubscription(
  tx: Transaction,
  subscription: Stripe.Subscription,
  endedAt: number,
): Promise<Stripe.Subscription> {
  const ended: Stripe.Subscription = {
    ...subscription,
    status: "canceled",
    canceled_at: subscription.canceled_at ?? endedAt,
    ended_at: endedAt,
    cancellation_details: cancellation("cancellation_requested"),
  };
  await replaceObject(tx, ended);
  await recordEvent(tx, { type: "customer.subscription.deleted", data: { object: ended } });
  return ended;
}

export async function cancelSubscriptionsOf(tx: Transaction, customer: string): Promise<void> {
  const { rows } = await tx.client.query<{ object: Stripe.Subscription }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'subscription' AND object @> $1 AND object->>'status' <> 'canceled'
     ORDER BY id FOR UPDATE`,
    [JSON.stringify({ customer })],
  );
  for (const { object } of rows) await endSubscription(tx, object, tx.now);
}

function cancellation(reason: "cancellation_requested" | null): Stripe.Subscription.CancellationDetails {
  return { comment: null, feedback: null, feedback_option: null, reason };
}
