import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { auditLog } from "./schema.ts";

const MAX_ACTIONS = 200;

/** One index lookup for each: there are few, among entries without end. */
export async function actionsInLog(db: Queryable): Promise<string[]> {
  const { rows } = await db.execute<{ action: string }>(sql`
    WITH RECURSIVE known AS (
      (SELECT action FROM ${auditLog} ORDER BY action LIMIT 1)
      UNION ALL
      SELECT (SELECT next.action FROM ${auditLog} AS next WHERE next.action > known.action ORDER BY next.action LIMIT 1)
      FROM known WHERE known.action IS NOT NULL
    )
    SELECT action FROM known WHERE action IS NOT NULL LIMIT ${MAX_ACTIONS}`);
  return rows.map(({ action }) => action);
}
