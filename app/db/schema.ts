import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
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

/** The backups that were begun, for whoever watches that there are any: bin/backup.ts writes it. */
export const backups = pgTable(
  "backups",
  {
    id: text("id").primaryKey(),
    startedAt: instant("started_at").notNull().defaultNow(),
    /** When it ended, well or not. */
    finishedAt: instant("finished_at"),
    /** pg_dump's archive of the database, or a copy of the whole cluster's files. */
    method: text("method").$type<"dump" | "cluster">().notNull(),
    /** The file's name, without its folder, and what is in it as it lies there. */
    file: text("file"),
    bytes: bigint("bytes", { mode: "number" }),
    sha256: text("sha256"),
    isEncrypted: boolean("is_encrypted").notNull().default(false),
    /** When it had been restored into an empty database and all that it held was found there, and sound. */
    checkedAt: instant("checked_at"),
    /** Why there is none, or why it is not to be trusted. */
    failure: text("failure"),
  },
  (table) => [
    index("backups_started_at_index").on(table.startedAt),
    check("backups_method_check", sql`${table.method} IN ('dump', 'cluster')`),
    check("backups_bytes_check", sql`${table.bytes} >= 0`),
    check("backups_finished_check", sql`${table.checkedAt} IS NULL OR ${table.finishedAt} IS NOT NULL`),
  ],
);
