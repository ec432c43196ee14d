import { sql } from "drizzle-orm";
import { bigint, bigserial, date, index, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { user } from "../auth/schema.ts";
import { instant, updatedAt } from "../db/columns.ts";

/** Sums by day, in UTC: what the overview and the funnel show. Nothing in it is about a person. */
export const dailyFigures = pgTable(
  "daily_figures",
  {
    day: date("day", { mode: "string" }).notNull(),
    /** What is counted: `signed_up`, `redeemed`, `active`, … */
    name: text("name").notNull(),
    /** What it is counted by: a promo code, a tier and source, `referral`; empty: all. */
    label: text("label").notNull().default(""),
    /** A count; minor units for money. */
    value: bigint("value", { mode: "number" }).notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.name, table.day, table.label] })],
);

/** Views of public pages by day and by the host that led there. */
export const pageViews = pgTable(
  "page_views",
  {
    day: date("day", { mode: "string" }).notNull(),
    page: text("page").notNull(),
    /** Empty: none, or our own. */
    referrer: text("referrer").notNull().default(""),
    views: bigint("views", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.page, table.referrer] })],
);

/**
 * How things stand, as sums that triggers keep (migration 0016), so that nobody has to count rows: `people`, `waiting`, and of
 * `counted_plans` `active` and `revenue`. What changed since is in `standing_changes`. No row: it was never counted.
 */
export const standingSums = pgTable(
  "standing_sums",
  {
    name: text("name").notNull(),
    label: text("label").notNull().default(""),
    value: numeric("value").notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.label] })],
);

/** What has to be added to a sum: a row for each change, because all who change a sum at once would wait for its one row. */
export const standingChanges = pgTable("standing_changes", {
  id: bigserial("id", { mode: "bigint" }).primaryKey(),
  name: text("name").notNull(),
  label: text("label").notNull().default(""),
  change: numeric("change").notNull(),
});

/** Whose grants or subscriptions changed since they were counted; triggers write it. */
export const plansToCount = pgTable("plans_to_count", {
  id: bigserial("id", { mode: "bigint" }).primaryKey(),
  userId: text("user_id").notNull(),
});

/** As what everybody who holds a plan is counted, so that only those whose plan changed are counted again. */
export const countedPlans = pgTable(
  "counted_plans",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => user.id, { onDelete: "cascade" }),
    /** Tier and source of their best plan: `basic:paid`. */
    label: text("label").notNull(),
    /** What it brings in a month, in minor units; `null`: nothing. */
    currency: text("currency"),
    revenue: numeric("revenue"),
    /** When this is over although nobody changes anything; `null`: never. */
    changesAt: instant("changes_at"),
  },
  (table) => [
    index("counted_plans_changes_at_index").on(table.changesAt).where(sql`${table.changesAt} IS NOT NULL`),
  ],
);
