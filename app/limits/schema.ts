import { index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";

/** Recent hits of rate limits, a row for each bucket: see rate-limit.server.ts. */
export const rateLimits = pgTable(
  "rate_limits",
  {
    /** The name of the limit and an HMAC of the client or user, so that no address is stored. */
    key: text("key").primaryKey(),
    /** Times of the hits, oldest first. */
    hits: instant("hits").array().notNull(),
    /** When the most recent refused hit may be retried. */
    waitUntil: instant("wait_until"),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("rate_limits_expires_at_index").on(table.expiresAt)],
);
