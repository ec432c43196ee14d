import { isDeepStrictEqual } from "node:util";
import Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, boolean, list, readParams, text } from "../api/params.ts";
import { drawEventDelays } from "../faults.ts";
import { type Knobs, readKnobs } from "../knobs.ts";
import { createdParam, findOr404, insertObject, listObjects, newId, pageParams } from "../store.ts";
import type { Transaction } from "../transaction.ts";

type Occurrence<Event = Stripe.Event> = Event extends Stripe.EventBase ? Pick<Event, "type" | "data"> : never;

/** Records an event of this transaction and queues its delivery to the webhook. */
export async function recordEvent(tx: Transaction, occurrence: Occurrence): Promise<void> {
  const { knobs, endpoints } = await findListeners(tx, occurrence.type);
  const event: Stripe.EventBase = {
    id: newId("evt"),
    object: "event",
    api_version: Stripe.API_VERSION,
    created: tx.now,
    livemode: false,
    pending_webhooks: endpoints.length,
    request: tx.request,
    ...occurrence,
  };
  await insertObject(tx, event);
  for (const endpoint of endpoints) await queueDeliveries(tx, knobs, event.id, endpoint);
}

/** The webhook endpoints that want events of this type, `null` for the built-in one, and the knobs. */
async function findListeners(tx: Transaction, type: string) {
  const { rows } = await tx.client.query<{ id: string }>(
    `SELECT id FROM sandbox_stripe.objects
     WHERE kind = 'webhook_endpoint' AND object->>'status' = 'enabled' AND object->'enabled_events' ?| $1
     ORDER BY sequence`,
    [["*", type]],
  );
  return { knobs: await readKnobs(tx.client), endpoints: [null, ...rows.map(({ id }) => id)] };
}

/** An event that is lost stays pending for ever, as one does that Stripe has given up. */
async function queueDeliveries(
  tx: Transaction,
  knobs: Knobs,
  event: string,
  endpoint: string | null,
): Promise<void> {
  const delays = await drawEventDelays(tx.client, knobs);
  await tx.client.query(
    `INSERT INTO sandbox_stripe.deliveries (event, endpoint, is_copy, due_at)
     SELECT $1, $2, at > 1, now() + delay * interval '1 millisecond'
     FROM unnest($3::float8[]) WITH ORDINALITY AS planned (delay, at)`,
    [event, endpoint, delays],
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
  type: text.optional(),
  types: list(text).optional(),
});

/** An event is delivered when no webhook waits for it any more. */
export async function listEvents({ tx, params }: ApiCall) {
  const { delivery_success, type, types, ...range } = readParams(listSchema, params);
  if (type && types) {
    throw invalidRequest("You may only specify one of these parameters: type, types.", { param: "types" });
  }
  return listObjects(tx, "event", "/v1/events", {
    ...range,
    having: { type, ...(delivery_success && { pending_webhooks: 0 }) },
    havingOneOf: types?.map((each) => ({ type: each })),
    ...(delivery_success === false && { except: { pending_webhooks: 0 } }),
  });
}
