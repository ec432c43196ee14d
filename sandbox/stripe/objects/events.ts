import { isDeepStrictEqual } from "node:util";
import Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, boolean, readParams } from "../api/params.ts";
import { drawEventDelays } from "../faults.ts";
import { readKnobs } from "../knobs.ts";
import { createdParam, findOr404, insertObject, listObjects, newId, pageParams } from "../store.ts";
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
  // An event that is lost stays pending for ever, as one does that Stripe has given up.
  const delays = await drawEventDelays(tx.client, await readKnobs(tx.client));
  await tx.client.query(
    `INSERT INTO sandbox_stripe.deliveries (event, is_copy, due_at)
     SELECT $1, at > 1, now() + delay * interval '1 millisecond'
     FROM unnest($2::float8[]) WITH ORDINALITY AS planned (delay, at)`,
    [event.id, delays],
  );
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

const listSchema = z.strictObject({
  ...pageParams,
  created: createdParam,
  delivery_success: boolean.optional(),
});

/** An event is delivered when no webhook waits for it any more. */
export async function listEvents({ tx, params }: ApiCall) {
  const { delivery_success, ...range } = readParams(listSchema, params);
  return listObjects(tx, "event", "/v1/events", {
    ...range,
    ...(delivery_success && { having: { pending_webhooks: 0 } }),
    ...(delivery_success === false && { except: { pending_webhooks: 0 } }),
  });
}
