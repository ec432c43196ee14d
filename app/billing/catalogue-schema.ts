import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, pgSequence, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, updatedAt } from "../db/columns.ts";
import { TIERS_SQL } from "../entitlements/schema.ts";
import type { Tier } from "../entitlements/tiers.ts";
import type { BillingInterval } from "./plans.ts";

/** Drawn before each request to Stripe, so that an earlier answer never overwrites a later one. */
export const syncTicketSequence = pgSequence("sync_ticket");

export const syncTicket = () => bigint("sync_ticket", { mode: "bigint" }).notNull();

export const products = pgTable(
  "products",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    description: text("description"),
    active: boolean("active").notNull(),
    tier: text("tier").$type<Tier>().notNull(),
    position: integer("position").notNull().default(0),
    syncTicket: syncTicket(),
    updatedAt: updatedAt(),
  },
  (table) => [check("products_tier_check", sql`${table.tier} IN ${TIERS_SQL}`)],
);

export const prices = pgTable(
  "prices",
  {
    id: text("id").primaryKey(),
    productId: text("product_id")
      .notNull()
      .references(() => products.id),
    active: boolean("active").notNull(),
    /** Minor units: 4999 is $49.99. */
    unitAmount: integer("unit_amount").notNull(),
    /** ISO 4217, in lower case as Stripe writes it. */
    currency: text("currency").notNull(),
    interval: text("interval").$type<BillingInterval>().notNull(),
    /** At Stripe. Of two prices for one plan and period, the newer is on sale. */
    createdAt: createdAt(),
    syncTicket: syncTicket(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("prices_product_id_index").on(table.productId),
    check("prices_unit_amount_check", sql`${table.unitAmount} >= 0`),
    check("prices_interval_check", sql`${table.interval} IN ('month', 'year')`),
  ],
);

/** Active Stripe prices that no plan here can have, for the operator. */
export const skippedPrices = pgTable("skipped_prices", {
  id: text("id").primaryKey(),
  productName: text("product_name").notNull(),
  /** A predicate for the price: "has no fixed amount". */
  reason: text("reason").notNull(),
});
