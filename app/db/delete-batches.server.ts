import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Queryable } from "./client.server.ts";

const BATCH = 1_000;
/** More than this is left for the next sweep. */
const MOST_BATCHES = 20;

/**
 * Deletes the rows of a table that meet a condition, a thousand at a time, so that no statement holds locks for long.
 * Rows somebody else is busy with, such as the same sweep of another process, are passed over.
 */
export async function deleteInBatches(db: Queryable, table: PgTable, condition: SQL): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const { rowCount } = await db.execute(sql`
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ))`);
    if ((rowCount ?? 0) < BATCH) return;
  }
}
