import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgSequence,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { user } from "../auth/schema.ts";
import { createdAt, instant, updatedAt } from "../db/columns.ts";
import { TIERS_SQL } from "../entitlements/schema.ts";
import type { Tier } from "../entitlements/tiers.ts";
import type { BillingInterval } from "./plans.ts";

/** Drawn before each request to Stripe, so that an earlier answer never overwrites a later one. */
export const syncTicketSequence = pgSequence("sync_ticket");

const syncTicket = () => bigint("sync_ticket", { mode: "bigint" }).notNull();

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

export const customers = pgTable("customers", {
  userId: text("user_id")
    .primaryKey()
    .references(() => user.id),
  stripeCustomerId: text("stripe_customer_id").notNull().unique(),
  createdAt: createdAt(),
});

export const stripeSubscriptions = pgTable(
  "stripe_subscriptions",
  {
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id),
    priceId: text("price_id")
      .notNull()
      .references(() => prices.id),
    tier: text("tier").$type<Tier>().notNull(),
    /** Stripe's status: active, trialing, past_due, canceled, … */
    status: text("status").notNull(),
    currentPeriodEnd: instant("current_period_end").notNull(),
    cancelAt: instant("cancel_at"),
    startedAt: instant("started_at").notNull(),
    syncTicket: syncTicket(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("stripe_subscriptions_user_id_index").on(table.userId),
    check("stripe_subscriptions_tier_check", sql`${table.tier} IN ${TIERS_SQL}`),
  ],
);

export const checkoutAttempts = pgTable(
  "checkout_attempts",
  {
    /** Also the idempotency key of the call that creates the session. */
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id),
    priceId: text("price_id")
      .notNull()
      .references(() => prices.id),
    successUrl: text("success_url").notNull(),
    cancelUrl: text("cancel_url").notNull(),
    sessionId: text("session_id").unique(),
    /** When the user returned from the payment page before the payment was confirmed. */
    returnedAt: instant("returned_at"),
    status: text("status").$type<"open" | "closed">().notNull().default("open"),
    /** How many checks with Stripe have been enqueued. */
    checks: integer("checks").notNull().default(0),
    /** When the next check is due; `null` once the attempt can no longer be paid. */
    checkAt: instant("check_at").default(sql`now() + interval '1 minute'`),
    createdAt: createdAt(),
  },
  (table) => [
    index("checkout_attempts_user_id_index").on(table.userId),
    index("checkout_attempts_check_at_index").on(table.checkAt).where(sql`${table.checkAt} IS NOT NULL`),
    index("checkout_attempts_settled_index").on(table.createdAt).where(sql`${table.checkAt} IS NULL`),
    // One payable session per user at a time, so that no user pays twice.
    uniqueIndex("checkout_attempts_one_open_per_user").on(table.userId).where(sql`${table.status} = 'open'`),
    check("checkout_attempts_status_check", sql`${table.status} IN ('open', 'closed')`),
  ],
);

export type CheckoutAttempt = typeof checkoutAttempts.$inferSelect;

export const stripeEvents = pgTable(
  "stripe_events",
  {
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    created: instant("created").notNull(),
    receivedAt: instant("received_at").notNull().defaultNow(),
    handledAt: instant("handled_at"),
  },
  (table) => [index("stripe_events_handled_at_index").on(table.handledAt)],
);
