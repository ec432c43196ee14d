import type pg from "pg";
import type Stripe from "stripe";

/** One piece of work that happens wholly or not at all, together with the events it causes. */
export interface Transaction {
  client: pg.ClientBase;
  /** When it began, in unix seconds, by the database's clock. */
  now: number;
  /** The API request its events name as their cause; null for what the buyer or time itself brings about. */
  request: Stripe.Event.Request | null;
}

/** Commits what `work` wrote and returns its answer, or rolls all of it back and throws its error. */
export async function inTransaction<Answer>(
  pool: pg.Pool,
  request: Stripe.Event.Request | null,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const answer = await work({ client, now: await startedAt(client), request });
    await client.query("COMMIT");
    return answer;
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
