import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { auditLog } from "./schema.ts";

const MAX_ACTIONS = 200;

export type LoggedChange = Awaited<ReturnType<typeof readLog>>[number];

/** @param extra further columns, such as a list's cursor */
export function readLog<Extra extends Record<string, SQL>>(
  db: Queryable,
  parts: { where: SQL | undefined; orderBy: SQL[]; limit: number },
  extra: Extra,
) {
  return db
    .select({
      id: sql<string>`${auditLog.id}::text`,
      at: auditLog.at,
      actor: auditLog.actor,
      action: auditLog.action,
      subject: auditLog.subject,
      before: sql<Record<string, unknown> | null>`${auditLog.before}`,
      after: sql<Record<string, unknown> | null>`${auditLog.after}`,
      reason: auditLog.reason,
      ...extra,
    })
    .from(auditLog)
    .where(parts.where)
    .orderBy(...parts.orderBy)
    .limit(parts.limit);
}

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
