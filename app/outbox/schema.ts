import { sql } from "drizzle-orm";
import { bigserial, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, instant } from "../db/columns.ts";

export const outbox = pgTable(
  "outbox",
  {
    id: bigserial("id", { mode: "bigint" }).primaryKey(),
    kind: text("kind").notNull(),
    payload: jsonb("payload").notNull(),
    dedupeKey: text("dedupe_key"),
    eventIds: text("event_ids").array().notNull().default([]),
    /** When it may be claimed; while it is running, when the claim expires. */
    runAt: instant("run_at").notNull().defaultNow(),
    claimedAt: instant("claimed_at"),
    attempts: integer("attempts").notNull().default(0),
    doneAt: instant("done_at"),
    lastError: text("last_error"),
    createdAt: createdAt(),
  },
  (table) => [
    // Any condition on run_at implies that there is one. Otherwise statements that sort open jobs by their number would read this
    // index, when the last sample of the table had no open jobs.
    index("outbox_run_at_index")
      .on(table.runAt)
      .where(sql`${table.doneAt} IS NULL AND ${table.runAt} IS NOT NULL`),
    index("outbox_done_at_index").on(table.doneAt).where(sql`${table.doneAt} IS NOT NULL`),
    index("outbox_open_index").on(table.id).where(sql`${table.doneAt} IS NULL`),
    index("outbox_failing_index")
      .on(table.id)
      .where(sql`${table.doneAt} IS NULL AND ${table.lastError} IS NOT NULL`),
    // Whether the nightly comparison with Stripe was planned already.
    index("outbox_reconcile_index").on(table.createdAt).where(sql`${table.kind} = 'reconcile'`),
    uniqueIndex("outbox_one_waiting_unique")
      .on(table.kind, table.dedupeKey)
      .where(sql`${table.doneAt} IS NULL AND ${table.claimedAt} IS NULL`),
    index("outbox_running_index")
      .on(table.kind, table.dedupeKey)
      .where(sql`${table.doneAt} IS NULL AND ${table.claimedAt} IS NOT NULL`),
  ],
);
