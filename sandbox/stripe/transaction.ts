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
    await client.query("BEGIN");
    const result = await work({ client, now: await startedAt(client), request, publicOrigin });
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

async function startedAt(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ now: number }>(
    "SELECT floor(extract(epoch FROM now()))::float8 AS now",
  );
  return rows[0]?.now ?? 0;
}
