import type { Database } from "../db/client.server.ts";
import { createGatherer } from "../db/gather.server.ts";
import { SYNC_CATALOGUE, SYNC_CUSTOMER } from "./job-kinds.server.ts";

/** What is kept of a delivery, and what leads to its customer. */
export interface ReceivedEvent {
  id: string;
  type: string;
  /** In seconds since 1970. */
  created: number;
  /** Whether it is about products and prices, and so about nobody. */
  isOfCatalogue: boolean;
  customer: string | null;
  /** Disputes and refunds name nothing else: the payment of an invoice. */
  payment: string | null;
}

/** Stores an event and its job. Resolves after the commit. */
export type StoreEvent = (event: ReceivedEvent) => Promise<void>;

declare module "../http/context.server.ts" {
  interface App {
    storeEvent: StoreEvent;
  }
}

/** The most of a batch: more would keep its callers waiting for little more. */
const MOST_EVENTS = 100;
/** While one waits for the disk, the next is being made ready. */
const BATCHES_AT_ONCE = 2;
/** How long a batch waits for somebody else's lock; an event alone waits as long as any statement. */
const BATCH_LOCK_TIMEOUT = "100ms";

/**
 * Stores events and enqueues their jobs, those that arrive together in one statement (decision 0066). Repeated deliveries enqueue a job,
 * too: Stripe or the operator may resend an event because its job had no effect.
 *
 * Whether a customer is one of ours is asked with a lock, so that they stay one until the event is stored: whoever deletes their account then
 * finds the event as well. Of others, such as those deleted before, no number is kept. An event whose customer is just being
 * deleted leaves the batch and waits alone.
 */
export function createEventStore(db: Database): StoreEvent {
  return createGatherer({ run, most: MOST_EVENTS, atOnce: BATCHES_AT_ONCE });

  async function run(events: readonly ReceivedEvent[]): Promise<(void | Promise<void>)[]> {
    const held = new Set(await store(db, TOGETHER, events));
    return events.map((event) => {
      if (held.has(event.id)) return store(db, ALONE, [event]).then(() => {});
    });
  }
}

/** @returns the ids of those that were not stored, because their customer is locked */
async function store(db: Database, statement: string, events: readonly ReceivedEvent[]): Promise<string[]> {
  const column = <Key extends keyof ReceivedEvent>(key: Key) => events.map((event) => event[key]);
  const { rows } = await db.$client.query<{ id: string }>(statement, [
    column("id"),
    column("type"),
    column("created"),
    column("isOfCatalogue"),
    column("customer"),
    column("payment"),
  ]);
  return rows.map(({ id }) => id);
}

const TOGETHER = statementThat({ isAlone: false });
const ALONE = statementThat({ isAlone: true });

/**
 * One statement, and so one transaction. Jobs are written in the order of their keys: two batches with the same customers wait for
 * each other in turn, and never for ever.
 */
function statementThat({ isAlone }: { isAlone: boolean }): string {
  return `
WITH patience AS (
  SELECT ${isAlone ? "NULL" : `set_config('lock_timeout', '${BATCH_LOCK_TIMEOUT}', true)`} AS lock_timeout
),
arriving AS MATERIALIZED (
  SELECT DISTINCT ON (event.id) event.id, event.type, event.created, event.is_of_catalogue, coalesce(event.customer, (
    SELECT customers.stripe_customer_id FROM stripe_invoices JOIN customers USING (user_id)
    WHERE stripe_invoices.payment_intent_id = event.payment LIMIT 1
  )) AS customer
  FROM patience, unnest($1::text[], $2::text[], $3::float8[], $4::boolean[], $5::text[], $6::text[])
    AS event (id, type, created, is_of_catalogue, customer, payment)
  ORDER BY event.id
),
ours AS MATERIALIZED (
  SELECT stripe_customer_id FROM customers WHERE stripe_customer_id IN (SELECT customer FROM arriving)
  for key share${isAlone ? "" : " SKIP LOCKED"}
),
held AS MATERIALIZED (
  SELECT arriving.id FROM arriving JOIN customers ON customers.stripe_customer_id = arriving.customer
  WHERE ${isAlone ? "false" : "NOT EXISTS (SELECT FROM ours WHERE ours.stripe_customer_id = arriving.customer)"}
),
storable AS MATERIALIZED (
  SELECT arriving.*, ours.stripe_customer_id, customer IS NULL AND NOT is_of_catalogue AS is_handled
  FROM arriving LEFT JOIN ours ON ours.stripe_customer_id = arriving.customer
  WHERE NOT EXISTS (SELECT FROM held WHERE held.id = arriving.id)
),
stored AS (
  INSERT INTO stripe_events (id, type, created, customer_id, handled_at)
  SELECT id, type, to_timestamp(created), stripe_customer_id, CASE WHEN is_handled THEN now() END FROM storable
  ON CONFLICT (id) DO NOTHING
),
handled AS (
  UPDATE stripe_events SET handled_at = now() WHERE id IN (SELECT id FROM storable WHERE is_handled)
),
enqueued AS (
  INSERT INTO outbox (kind, payload, dedupe_key, event_ids)
  SELECT '${SYNC_CUSTOMER.name}', jsonb_build_object('stripeCustomerId', customer), customer, array_agg(id)
  FROM storable WHERE customer IS NOT NULL AND NOT is_of_catalogue GROUP BY customer
  UNION ALL
  SELECT '${SYNC_CATALOGUE.name}', '{}', '${SYNC_CATALOGUE.dedupeKey({})}', array_agg(id)
  FROM storable WHERE is_of_catalogue HAVING count(*) > 0
  ORDER BY 1, 3
  ON CONFLICT (kind, dedupe_key) WHERE done_at IS NULL AND claimed_at IS NULL DO UPDATE SET
    run_at = least(outbox.run_at, excluded.run_at),
    event_ids = outbox.event_ids || ARRAY(SELECT unnest(excluded.event_ids) EXCEPT ALL SELECT unnest(outbox.event_ids))
)
SELECT id FROM held`;
}
