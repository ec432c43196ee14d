import { sql } from "drizzle-orm";
import { bigserial, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, instant } from "../db/columns.ts";

export const outbox = pgTable(
  "outbox",
  {
    id: bigserial("id", { mode: "bigint" }).primaryKey(),
    kind: text("kind").notNull(),
    payload: jsonb("payload").notNull(),
    /** What it is about: of a kind, one job at most waits for each. `null`: every job is a job of its own. */
    dedupeKey: text("dedupe_key"),
    /** The Stripe events that are handled when it is done. */
    eventIds: text("event_ids").array().notNull().default([]),
    /** When it may be claimed; while it is being run, when its worker is given up. */
    runAt: instant("run_at").notNull().defaultNow(),
    /** When a worker took it; `null` while it waits. */
    claimedAt: instant("claimed_at"),
    /** How often it was claimed: also what a worker knows its own claim by. */
    attempts: integer("attempts").notNull().default(0),
    doneAt: instant("done_at"),
    lastError: text("last_error"),
    createdAt: createdAt(),
  },
  (table) => [
    index("outbox_due_index").on(table.runAt).where(sql`${table.doneAt} IS NULL`),
    index("outbox_done_at_index").on(table.doneAt).where(sql`${table.doneAt} IS NOT NULL`),
    uniqueIndex("outbox_one_waiting_unique")
      .on(table.kind, table.dedupeKey)
      .where(sql`${table.doneAt} IS NULL AND ${table.claimedAt} IS NULL`),
    index("outbox_running_index")
      .on(table.kind, table.dedupeKey)
      .where(sql`${table.doneAt} IS NULL AND ${table.claimedAt} IS NOT NULL`),
  ],
);
