import { index, pgTable, text } from "drizzle-orm/pg-core";
import { bytea, instant } from "../db/columns.ts";

/** The files of each build in use: while two versions run side by side, a page may request its files from the other version. */
export const assets = pgTable(
  "assets",
  {
    /** `/assets/…` */
    path: text("path").primaryKey(),
    type: text("type").notNull(),
    plain: bytea("plain").notNull(),
    br: bytea("br"),
    gzip: bytea("gzip"),
    /** When a process with this build was last running. */
    usedAt: instant("used_at").notNull().defaultNow(),
  },
  (table) => [index("assets_used_at_index").on(table.usedAt)],
);
