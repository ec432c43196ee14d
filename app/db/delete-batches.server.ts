import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Queryable } from "./client.server.ts";

const BATCH_ROWS = 1_000;
/** The rest is left to the next sweep. */
const MAX_BATCHES = 20;

export interface ExpiredRows {
  table: PgTable;
  condition: SQL;
}

/** In batches, so that no statement holds locks for long. Rows locked by another transaction are skipped. */
export async function deleteInBatches(db: Queryable, { table, condition }: ExpiredRows): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { rowCount } = await db.execute(sql`
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED
      ))`);
    if ((rowCount ?? 0) < BATCH_ROWS) return;
  }
}
