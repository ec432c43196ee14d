import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** Which kind of money the database is for, written at its first start: see database-mode.server.ts. */
export const databasePurpose = pgTable(
  "database_purpose",
  {
    onlyRow: boolean("only_row").primaryKey().default(true),
    purpose: text("purpose").$type<"sandbox" | "test" | "live">().notNull(),
  },
  (table) => [check("database_purpose_only_row_check", sql`${table.onlyRow}`)],
);

/** The processes that serve or do background work. Each renews its row; one that has not for minutes has been killed. */
export const processes = pgTable(
  "processes",
  {
    id: text("id").primaryKey(),
    role: text("role").$type<"web" | "worker" | "all">().notNull(),
    /** Of the product, as `npm run ops -- version` prints it. */
    version: text("version").notNull(),
    /** The machine's or container's name. */
    host: text("host").notNull(),
    startedAt: instant("started_at").notNull().defaultNow(),
    seenAt: instant("seen_at").notNull().defaultNow(),
  },
  (table) => [check("processes_role_check", sql`${table.role} IN ('web', 'worker', 'all')`)],
);

/**
 * What was deleted at somebody's request, by the number it had: a backup from before still holds it, and whoever restores
 * one deletes it again. Kept for as long as backups are.
 */
export const erasures = pgTable(
  "erasures",
  {
    subject: text("subject").$type<"user" | "waitlist">().notNull(),
    id: text("id").notNull(),
    erasedAt: instant("erased_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.subject, table.id] }),
    index("erasures_erased_at_index").on(table.erasedAt),
    check("erasures_subject_check", sql`${table.subject} IN ('user', 'waitlist')`),
  ],
);
