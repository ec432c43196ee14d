import { eq } from "drizzle-orm";
import { readLog } from "../../audit/read-log.server.ts";
import { auditLog } from "../../audit/schema.ts";
import { readListQuery } from "../lists/list-query.ts";
import { listSource } from "../lists/list-source.server.ts";

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
  select: (db, { cursor, ...parts }) => readLog(db, parts, { cursor }),
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
