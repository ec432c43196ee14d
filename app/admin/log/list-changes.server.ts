import { eq } from "drizzle-orm";
import { type LoggedChange, readLog } from "../../audit/read-log.server.ts";
import { auditLog } from "../../audit/schema.ts";
import { readPage } from "../lists/keyset.server.ts";
import type { ListSource } from "../lists/list.server.ts";
import { type Cursor, readListQuery } from "../lists/list-query.ts";

export const CHANGES: ListSource<LoggedChange & { cursor: Cursor }> = {
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
  read(db, query, size) {
    return readPage(
      CHANGES.keyset(query),
      query,
      ({ cursor, ...parts }) => readLog(db, parts, { cursor }),
      size,
    );
  },
  columns: [
    ["at", ({ at }) => at],
    ["actor", ({ actor }) => actor],
    ["action", ({ action }) => action],
    ["subject", ({ subject }) => subject],
    ["before", ({ before }) => before && JSON.stringify(before)],
    ["after", ({ after }) => after && JSON.stringify(after)],
    ["reason", ({ reason }) => reason],
  ],
};
