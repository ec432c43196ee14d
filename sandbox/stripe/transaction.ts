import type pg from "pg";
import type Stripe from "stripe";

/** A database transaction, which includes the events of what it changes. */
export interface Transaction {
  client: pg.ClientBase;
  /** When it began, in unix seconds, by the database's clock. */
  now: number;
  /** The API request that caused its events; null for those of the buyer or the passing of time. */
  request: Stripe.Event.Request | null;
  /** Where a browser finds the hosted pages: `http://localhost:3000` */
  publicOrigin: string;
}

/** The database, and what links to the hosted pages start with. */
export interface Site {
  pool: pg.Pool;
  publicOrigin: string;
}

/** Commits what `work` wrote and returns its result, or rolls it back and throws its error. */
export async function inTransaction<Result>(
  { pool, publicOrigin }: Site,
  request: Stripe.Event.Request | null,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const result = await work({ client, now: await begin(client), request, publicOrigin });
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

const NOW = "floor(extract(epoch FROM now()))::float8";

/** @returns when it began */
async function begin(client: pg.ClientBase): Promise<number> {
  // Both in one round trip, which answers each.
  const answers: unknown = await client.query(`BEGIN; SELECT ${NOW} AS now`);
  const [, { rows }] = answers as [unknown, { rows: { now: number }[] }];
  return rows[0]?.now ?? 0;
}

/**
 * The same for work that only reads, without BEGIN and COMMIT: each statement sees what is committed when it begins, as it would in
 * a transaction. Its time is that of the test clock of whom the ids name, if there is one.
 */
export async function whileReading<Result>(
  { pool, publicOrigin }: Site,
  { request, ids }: { request: Stripe.Event.Request | null; ids: string[] },
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ now: number }>(
      `SELECT coalesce((
         SELECT (clock.object->>'frozen_time')::float8 FROM sandbox_stripe.objects AS customer
         JOIN sandbox_stripe.objects AS clock ON clock.id = customer.object->>'test_clock'
         WHERE customer.id = (${CUSTOMER_OF})
       ), ${NOW}) AS now`,
      [ids],
    );
    return await work({ client, now: rows[0]?.now ?? 0, request, publicOrigin });
  } finally {
    client.release();
  }
}

/** The customer that one of the ids names or belongs to; their array is the first parameter. */
export const CUSTOMER_OF = `
  SELECT coalesce(object->>'customer', id) AS id FROM sandbox_stripe.objects
  WHERE id = ANY($1) AND (kind = 'customer' OR object->>'customer' IS NOT NULL)
  ORDER BY kind = 'customer' DESC LIMIT 1`;
