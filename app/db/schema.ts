import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** Test or live money, written at the first start: database-mode.server.ts. */
export const databasePurpose = pgTable(
  "database_purpose",
  {
    onlyRow: boolean("only_row").primaryKey().default(true),
    purpose: text("purpose").$type<"sandbox" | "test" | "live">().notNull(),
  },
  (table) => [check("database_purpose_only_row_check", sql`${table.onlyRow}`)],
);

/** Each process renews its row; one without a renewal for minutes was killed. */
export const processes = pgTable(
  "processes",
  {
    id: text("id").primaryKey(),
    role: text("role").$type<"web" | "worker" | "all">().notNull(),
    version: text("version").notNull(),
    host: text("host").notNull(),
    startedAt: instant("started_at").notNull().defaultNow(),
    seenAt: instant("seen_at").notNull().defaultNow(),
  },
  (table) => [check("processes_role_check", sql`${table.role} IN ('web', 'worker', 'all')`)],
);

/** Deleted on request. A restore deletes them again. Kept for as long as backups. */
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

/** For monitoring. Written by bin/backup.ts. */
export const backups = pgTable(
  "backups",
  {
    id: text("id").primaryKey(),
    startedAt: instant("started_at").notNull().defaultNow(),
    finishedAt: instant("finished_at"),
    method: text("method").$type<"dump" | "cluster">().notNull(),
    /** Without its folder; `bytes` and `sha256` are of the stored file. */
    file: text("file"),
    bytes: bigint("bytes", { mode: "number" }),
    sha256: text("sha256"),
    isEncrypted: boolean("is_encrypted").notNull().default(false),
    /** When a restore into an empty database found everything in it, and sound. */
    checkedAt: instant("checked_at"),
    /** Why there is no file, or why it cannot be trusted. */
    failure: text("failure"),
  },
  (table) => [
    index("backups_started_at_index").on(table.startedAt),
    check("backups_method_check", sql`${table.method} IN ('dump', 'cluster')`),
    check("backups_bytes_check", sql`${table.bytes} >= 0`),
    check("backups_finished_check", sql`${table.checkedAt} IS NULL OR ${table.finishedAt} IS NOT NULL`),
  ],
);
