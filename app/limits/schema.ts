import { index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";

/** What somebody did lately that there is a limit for: see rate-limit.server.ts. */
export const rateLimits = pgTable(
  "rate_limits",
  {
    /** Which limit, and a keyed hash of whom it concerns: no address is kept here. */
    key: text("key").primaryKey(),
    /** When, oldest first. */
    hits: instant("hits").array().notNull(),
    /** When the latest that was refused may be tried again. */
    waitUntil: instant("wait_until"),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("rate_limits_expires_at_index").on(table.expiresAt)],
);
