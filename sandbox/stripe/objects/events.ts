import { isDeepStrictEqual } from "node:util";
import Stripe from "stripe";
import { z } from "zod";
import type { ApiCall } from "../api/api-call.ts";
import { readParams, text } from "../api/params.ts";
import { newId } from "../object-id.ts";
import { findOr404, insertObject, listObjects, page } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** The events the sandbox emits. Invoices are not kept, so `invoice.*` is missing. */
type SandboxEvent =
  | Stripe.CustomerCreatedEvent
  | Stripe.CustomerUpdatedEvent
  | Stripe.CustomerDeletedEvent
  | Stripe.ProductCreatedEvent
  | Stripe.ProductUpdatedEvent
  | Stripe.PriceCreatedEvent
  | Stripe.PriceUpdatedEvent
  | Stripe.CheckoutSessionCompletedEvent
  | Stripe.CheckoutSessionExpiredEvent
  | Stripe.CustomerSubscriptionCreatedEvent
  | Stripe.CustomerSubscriptionUpdatedEvent
  | Stripe.CustomerSubscriptionDeletedEvent;

type Occurrence<Event = SandboxEvent> = Event extends Stripe.EventBase ? Pick<Event, "type" | "data"> : never;

/** Writes down what this transaction did and owes the webhook a delivery of it. */
export async function recordEvent(tx: Transaction, occurrence: Occurrence): Promise<void> {
  const event: Stripe.EventBase = {
    id: newId("evt"),
    object: "event",
    api_version: Stripe.API_VERSION,
    created: tx.now,
    livemode: false,
    pending_webhooks: 1,
    request: tx.request,
    ...occurrence,
  };
  await insertObject(tx, event);
  await tx.client.query("INSERT INTO sandbox_stripe.deliveries (event) VALUES ($1)", [event.id]);
}

/** What an `*.updated` event tells of the past: the changed fields as they were; undefined when none changed. */
export function previousAttributes<Fields extends object>(
  before: Fields,
  after: Fields,
): Partial<Fields> | undefined {
  const previous: Partial<Fields> = {};
  for (const field of Object.keys(before) as (keyof Fields)[]) {
    if (!isDeepStrictEqual(before[field], after[field])) previous[field] = before[field];
  }
  return Object.keys(previous).length > 0 ? previous : undefined;
}

export async function retrieveEvent({ tx, id }: ApiCall): Promise<Stripe.EventBase> {
  return findOr404(tx, "event", id);
}

const ListParams = z.strictObject({ ...page, type: text.optional() });

export async function listEvents({ tx, params }: ApiCall) {
  const { type, ...range } = readParams(ListParams, params);
  return listObjects(tx, "event", "/v1/events", { ...range, having: { type } });
}
