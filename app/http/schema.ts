import { index, pgTable, text } from "drizzle-orm/pg-core";
import { bytea, instant } from "../db/columns.ts";

/**
 * The scripts, styles and pictures of the builds in use, with a hash in their names: while two versions run side by side,
 * and for a day after, a page of one may be followed by a request for its files to a process of the other.
 */
export const assets = pgTable(
  "assets",
  {
    /** As in the URL: `/assets/…`. */
    path: text("path").primaryKey(),
    type: text("type").notNull(),
    plain: bytea("plain").notNull(),
    br: bytea("br"),
    gzip: bytea("gzip"),
    /** When a process whose build contains it was last running. */
    usedAt: instant("used_at").notNull().defaultNow(),
  },
  (table) => [index("assets_used_at_index").on(table.usedAt)],
);
