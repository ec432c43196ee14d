import { eq, sql } from "drizzle-orm";
import { auditLog } from "../../audit/schema.ts";
import { readListQuery } from "../lists/list-query.ts";
import { listSource, type RowOf } from "../lists/list-source.server.ts";

export type LoggedChange = RowOf<typeof CHANGES>;

export const CHANGES = listSource({
  name: "audit-log",
  readQuery: (search) =>
    readListQuery(search, { sorts: ["at"], isDescending: true, filters: ["actor", "action", "subject"] }),
  keyset({ filters: { actor, action, subject } }) {
    const conditions = [
      actor ? eq(auditLog.actor, actor) : undefined,
      action ? eq(auditLog.action, action) : undefined,
      subject ? eq(auditLog.subject, subject) : undefined,
    ];
    return { by: auditLog.id, id: auditLog.id, conditions };
  },
  select: (db, { where, orderBy, limit, cursor }) =>
    db
      .select({
        at: auditLog.at,
        actor: auditLog.actor,
        action: auditLog.action,
        subject: auditLog.subject,
        before: sql<Record<string, unknown> | null>`${auditLog.before}`,
        after: sql<Record<string, unknown> | null>`${auditLog.after}`,
        reason: auditLog.reason,
        cursor,
      })
      .from(auditLog)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit),
  columns: [
    ["at", ({ at }) => at],
    ["actor", ({ actor }) => actor],
    ["action", ({ action }) => action],
    ["subject", ({ subject }) => subject],
    ["before", ({ before }) => before && JSON.stringify(before)],
    ["after", ({ after }) => after && JSON.stringify(after)],
    ["reason", ({ reason }) => reason],
  ],
});
