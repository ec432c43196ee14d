import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";

/**
 * Wakes the workers of all processes if a job waits for one. Called after the commit that queued it and on its own, never
 * in the same transaction: PostgreSQL lets transactions that notify commit one after another only.
 *
 * @param from the process that says so, which need not be told
 */
export async function tellWorkers(db: Queryable, from = ""): Promise<void> {
  await db.execute(sql`
    SELECT pg_notify('jobs', ${from})
    WHERE EXISTS (SELECT FROM outbox WHERE done_at IS NULL AND claimed_at IS NULL AND run_at <= now())`);
}
