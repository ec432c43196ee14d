import { sql } from "drizzle-orm";
import { bigserial, check, index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";

/**
 * What operators changed. Only ever added to: a trigger refuses everything else, and the role the site connects as has no
 * right to it (roles.server.ts). `id`, `at` and `actor` are what another trigger says, whatever is written (decision 0048).
 */
export const auditLog = pgTable(
  "audit_log",
  {
    id: bigserial("id", { mode: "bigint" }).primaryKey(),
    at: instant("at").notNull().defaultNow(),
    /** The operator's address, the command that was run, or for whom the site says that it acts: `site, for ada@example.com`. */
    actor: text("actor").notNull(),
    /** What was done, as subject and past tense: `promo_code.paused`. */
    action: text("action").notNull(),
    /** What it was done to, by the id the database knows it by; never an address or a name. */
    subject: text("subject").notNull(),
    before: jsonb("before"),
    after: jsonb("after"),
    /** Why, in the operator's words. */
    reason: text("reason"),
  },
  (table) => [
    index("audit_log_subject_index").on(table.subject, table.id),
    index("audit_log_actor_index").on(table.actor, table.id),
    index("audit_log_action_index").on(table.action, table.id),
    check("audit_log_action_check", sql`${table.action} ~ '^[a-z_]+\\.[a-z_]+$'`),
  ],
);
