import { isDeepStrictEqual } from "node:util";
import Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { findOr404, insertObject, listObjects, newId, pageParams } from "../store.ts";
import type { Transaction } from "../transaction.ts";

type Occurrence<Event = Stripe.Event> = Event extends Stripe.EventBase ? Pick<Event, "type" | "data"> : never;

/** Records an event of this transaction and queues its delivery to the webhook. */
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

/** The `previous_attributes` of an `*.updated` event: the changed fields as they were; undefined when none changed. */
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

const listSchema = z.strictObject({ ...pageParams, type: text.optional() });

export async function listEvents({ tx, params }: ApiCall) {
  const { type, ...range } = readParams(listSchema, params);
  return listObjects(tx, "event", "/v1/events", { ...range, having: { type } });
}
