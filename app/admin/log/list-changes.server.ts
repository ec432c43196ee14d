import { and, eq } from "drizzle-orm";
import { type LoggedChange, readLog } from "../../audit/read-log.server.ts";
import { auditLog } from "../../audit/schema.ts";
import type { Database } from "../../db/client.server.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import type { Cursor, ListQuery, ListRules } from "../lists/list-query.ts";

export const LOG_RULES: ListRules = {
  sorts: ["at"],
  isDescending: true,
  filters: ["actor", "action", "subject"],
};

/** Entries are numbered as they are written. */
const BY_NUMBER: Keyset = { by: auditLog.id, type: "bigint", id: auditLog.id, idType: "bigint" };

/** A page of the log that the query asks for. */
export function listChanges(
  db: Database,
  query: ListQuery,
  size?: number,
): Promise<ListPage<LoggedChange & { cursor: Cursor }>> {
  const { actor, action, subject } = query.filters;
  const conditions = [
    actor ? eq(auditLog.actor, actor) : undefined,
    action ? eq(auditLog.action, action) : undefined,
    subject ? eq(auditLog.subject, subject) : undefined,
  ];
  return readPage(
    BY_NUMBER,
    query,
    ({ where, orderBy, limit, cursor }) =>
      readLog(db, { where: and(where, ...conditions), orderBy, limit }, { cursor }),
    size,
  );
}
