import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import Stripe from "stripe";
import { isEventLost } from "./faults.ts";
import { insertObject, newId, replaceObject, type StoredObject } from "./store.ts";
import type { Transaction } from "./transaction.ts";

type EventType = Stripe.Event["type"];

/** Records an event of this transaction and queues its delivery to the webhook. */
export async function recordEvent(
  tx: Transaction,
  type: EventType,
  object: object,
  previous_attributes?: object,
): Promise<void> {
  const event: Stripe.EventBase = {
    id: newId("evt"),
    object: "event",
    api_version: Stripe.API_VERSION,
    created: tx.now,
    data: { object, ...(previous_attributes && { previous_attributes }) },
    livemode: false,
    pending_webhooks: 1,
    request: tx.request,
    type,
  };
  await insertObject(tx, event);
  // A lost event stays pending, like one that Stripe has given up.
  if (await isEventLost(tx.client)) return;
  await tx.client.query("INSERT INTO sandbox_stripe.deliveries (event) VALUES ($1)", [event.id]);
}

/** Stores a new object and records its event; does nothing and returns false when the id is taken. */
export async function addObject(tx: Transaction, type: EventType, object: StoredObject): Promise<boolean> {
  if (!(await insertObject(tx, object))) return false;
  await recordEvent(tx, type, object);
  return true;
}

/** Replaces an object that is locked, or new, and records its event. */
export async function replaceWithEvent<T extends StoredObject>(
  tx: Transaction,
  type: EventType,
  object: T,
): Promise<T> {
  await replaceObject(tx, object);
  await recordEvent(tx, type, object);
  return object;
}

/** Saves and records the changes of a locked object, if there are any. Returns the object afterwards. */
export async function saveChanges<T extends StoredObject>(
  tx: Transaction,
  type: EventType,
  before: T,
  after: T,
): Promise<T> {
  const changed = (Object.keys(after) as (keyof T)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  if (changed.length === 0) return after;
  await replaceObject(tx, after);
  const previous = Object.fromEntries(changed.map((field) => [field, before[field] ?? null]));
  await recordEvent(tx, type, after, previous);
  return after;
}

const BATCH_SIZE = 10;
const MAX_ATTEMPTS = 10;
const TIMEOUT_MILLISECONDS = 5_000;

interface Webhooks {
  pool: pg.Pool;
  webhookUrl: string;
  webhookSecret: string;
  log: (message: string) => void;
}

interface Delivery {
  id: string;
  attempts: number;
  event: Stripe.Event;
}

export async function deliverDueEvents(webhooks: Webhooks, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const deliveries = await claimDeliveries(webhooks.pool);
    if (deliveries.length === 0) return;
    // Concurrently, so in no particular order: Stripe does not promise one either.
    await Promise.all(deliveries.map((delivery) => deliver(webhooks, delivery)));
  }
}

/**
 * Claims due deliveries for this process. The claim is a lease that outlasts the request: if the process dies meanwhile,
 * another one (or the next start) sends the event again.
 */
async function claimDeliveries(pool: pg.Pool): Promise<Delivery[]> {
  const { rows } = await pool.query<Delivery>(
    `WITH claimed AS (
       UPDATE sandbox_stripe.deliveries SET attempts = attempts + 1, due_at = now() + interval '10 seconds'
       WHERE id IN (
         SELECT id FROM sandbox_stripe.deliveries
         WHERE due_at <= now()
           AND NOT EXISTS (SELECT FROM sandbox_stripe.control WHERE knobs->>'webhooks' = 'hold')
         ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING *)
     SELECT claimed.id, attempts, event.object AS event
     FROM claimed JOIN sandbox_stripe.objects AS event ON event.id = claimed.event
     ORDER BY claimed.id`,
    [BATCH_SIZE],
  );
  return rows;
}

async function deliver(webhooks: Webhooks, { id, attempts, event }: Delivery): Promise<void> {
  const { pool, log } = webhooks;
  const failure = await post(webhooks, event);
  if (failure === null) {
    await pool.query(
      `WITH finished AS (DELETE FROM sandbox_stripe.deliveries WHERE id = $1)
       UPDATE sandbox_stripe.objects SET object = object || '{"pending_webhooks": 0}' WHERE id = $2`,
      [id, event.id],
    );
  } else if (attempts >= MAX_ATTEMPTS) {
    log(`Stripe sandbox: gave up on ${event.type} ${event.id} after ${attempts} attempts: ${failure}`);
    await pool.query("DELETE FROM sandbox_stripe.deliveries WHERE id = $1", [id]);
  } else {
    // A single failure is normal, such as while the site is being restarted.
    if (attempts > 1) log(`Stripe sandbox: ${event.type} ${event.id} not delivered yet: ${failure}`);
    await pool.query(
      "UPDATE sandbox_stripe.deliveries SET due_at = now() + make_interval(secs => $2) WHERE id = $1",
      [id, 2 ** (attempts - 1)],
    );
  }
}

/** Stripe calls anything but a 2xx a failure, redirects included: https://docs.stripe.com/webhooks */
async function post({ webhookUrl, webhookSecret }: Webhooks, event: Stripe.Event): Promise<string | null> {
  const payload = JSON.stringify(event);
  try {
    const response = await fetch(webhookUrl, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret }),
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      },
      body: payload,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    await response.body?.cancel();
    return response.ok ? null : `the webhook answered ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
