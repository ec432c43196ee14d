import { sql } from "drizzle-orm";
import { bigserial, check, index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";

/** Only ever added to, as a trigger and the site's role demand. Another trigger sets `id`, `at` and `actor` (decision 0048). */
export const auditLog = pgTable(
  "audit_log",
  {
    id: bigserial("id", { mode: "bigint" }).primaryKey(),
    at: instant("at").notNull().defaultNow(),
    /** An operator's address, a command, or for whom the site says that it acts: `site, for ada@example.com`. */
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    subject: text("subject").notNull(),
    before: jsonb("before"),
    after: jsonb("after"),
    reason: text("reason"),
  },
  (table) => [
    index("audit_log_subject_index").on(table.subject, table.id),
    index("audit_log_actor_index").on(table.actor, table.id),
    index("audit_log_action_index").on(table.action, table.id),
    check("audit_log_action_check", sql`${table.action} ~ '^[a-z_]+\\.[a-z_]+$'`),
  ],
);
