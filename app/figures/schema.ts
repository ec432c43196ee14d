import { bigint, date, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { updatedAt } from "../db/columns.ts";

/** In UTC. Nothing in it is about a person. */
export const dailyFigures = pgTable(
  "daily_figures",
  {
    day: date("day", { mode: "string" }).notNull(),
    /** `signed_up`, `redeemed`, `active`, … */
    name: text("name").notNull(),
    /** A promo code, a tier and source, `referral`; empty: all. */
    label: text("label").notNull().default(""),
    /** A count; minor units for money. */
    value: bigint("value", { mode: "number" }).notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.name, table.day, table.label] })],
);

export const pageViews = pgTable(
  "page_views",
  {
    day: date("day", { mode: "string" }).notNull(),
    page: text("page").notNull(),
    /** A host; empty: none, or our own. */
    referrer: text("referrer").notNull().default(""),
    views: bigint("views", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.page, table.referrer] })],
);
