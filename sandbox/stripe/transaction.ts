import type pg from "pg";
import type Stripe from "stripe";

/** A database transaction, including the events of its changes. */
export interface Transaction {
  client: pg.ClientBase;
  /** Its start in unix seconds, by the database's clock, or the time of the customer's test clock. */
  now: number;
  /** The API request that caused its events; null for those of the buyer or the passing of time. */
  request: Stripe.Event.Request | null;
  /** Where a browser finds the hosted pages: `http://localhost:3000` */
  publicOrigin: string;
}

export interface Site {
  pool: pg.Pool;
  publicOrigin: string;
}

export async function inTransaction<Result>(
  { pool, publicOrigin }: Site,
  request: Stripe.Event.Request | null,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // BEGIN in the same round trip as the time.
    const answers: unknown = await client.query(
      "BEGIN; SELECT floor(extract(epoch FROM now()))::float8 AS now",
    );
    const [, { rows }] = answers as [unknown, { rows: { now: number }[] }];
    const result = await work({ client, now: rows[0]?.now ?? 0, request, publicOrigin });
    await client.query("COMMIT");
    return result;
  } catch (error) {
    // A connection that cannot even roll back is closed, not returned to the pool.
    await client.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The customer that one of the ids names or belongs to; their array is the first parameter. */
const CUSTOMER_OF = `
  SELECT coalesce(object->>'customer', id) AS id FROM sandbox_stripe.objects
  WHERE id = ANY($1) AND (kind = 'customer' OR object->>'customer' IS NOT NULL)
  ORDER BY kind = 'customer' DESC LIMIT 1`;

/** The time of this customer's test clock. */
const CLOCK_TIME = `
  SELECT (clock.object->>'frozen_time')::float8 FROM sandbox_stripe.objects AS customer
  JOIN sandbox_stripe.objects AS clock ON clock.id = customer.object->>'test_clock'
  WHERE customer.id = (${CUSTOMER_OF})`;

/**
 * Sets a transaction's time to that of the customer that one of the ids is or belongs to. With `lock`, changes of one
 * customer run in sequence, so that they cannot deadlock.
 */
export async function enterTimeOf(tx: Transaction, ids: string[], { lock }: { lock: boolean }) {
  if (lock) {
    const { rows: customers } = await tx.client.query<{ id: string }>(CUSTOMER_OF, [ids]);
    for (const { id } of customers) await lockCustomers(tx, [id]);
  }
  const { rows } = await tx.client.query<{ now: number | null }>(`SELECT (${CLOCK_TIME}) AS now`, [ids]);
  tx.now = rows[0]?.now ?? tx.now;
}

/** Waits for the other transactions that change these customers. */
export async function lockCustomers(tx: Transaction, customers: string[]): Promise<void> {
  for (const customer of [...customers].sort()) {
    await tx.client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [customer]);
  }
}
