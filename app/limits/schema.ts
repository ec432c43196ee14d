import { index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";

export const rateLimits = pgTable(
  "rate_limits",
  {
    /** The limit's name and an HMAC of the client or user, so that no address is stored. */
    key: text("key").primaryKey(),
    /** Oldest first. */
    hits: instant("hits").array().notNull(),
    /** Of the most recent refused hit. */
    waitUntil: instant("wait_until"),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("rate_limits_expires_at_index").on(table.expiresAt)],
);
