import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { user } from "../../auth/schema.ts";
import { instant } from "../../db/columns.ts";
import { stripeSubscriptions } from "../schema.ts";

/** What a customer asked for last, of each subscription: it is applied to Stripe until it is what Stripe has. */
export const planChanges = pgTable(
  "plan_changes",
  {
    subscriptionId: text("subscription_id")
      .primaryKey()
      .references(() => stripeSubscriptions.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    /** Rises with each wish, so that an older one is never taken for the last. */
    number: integer("number").notNull().default(1),
    kind: text("kind").$type<"cancel" | "resume" | "change" | "refund" | "withdraw">().notNull(),
    priceId: text("price_id"),
    /** The moment from which the change was calculated for its review. */
    prorationDate: instant("proration_date"),
    /** Why they cancel: one of Stripe's feedback values, and their own words until Stripe has them. */
    reason: text("reason"),
    comment: text("comment"),
    requestedAt: instant("requested_at").notNull().defaultNow(),
    /** `null` while it is not what Stripe has. */
    appliedAt: instant("applied_at"),
  },
  (table) => [
    index("plan_changes_user_id_index").on(table.userId),
    index("plan_changes_open_index").on(table.requestedAt).where(sql`${table.appliedAt} IS NULL`),
    check(
      "plan_changes_kind_check",
      sql`${table.kind} IN ('cancel', 'resume', 'change', 'refund', 'withdraw')`,
    ),
    check("plan_changes_price_check", sql`(${table.kind} = 'change') = (${table.priceId} IS NOT NULL)`),
  ],
);

/** The renewal terms that stood beside the button, as agreed to by pressing it. */
export const renewalConsents = pgTable(
  "renewal_consents",
  {
    /** The checkout attempt's id, or that of the change. */
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    priceId: text("price_id").notNull(),
    /** `null` until something was paid. */
    subscriptionId: text("subscription_id"),
    textVersion: text("text_version").notNull(),
    text: text("text").notNull(),
    agreedAt: instant("agreed_at").notNull().defaultNow(),
  },
  (table) => [
    index("renewal_consents_user_id_index").on(table.userId),
    index("renewal_consents_unpaid_index").on(table.agreedAt).where(sql`${table.subscriptionId} IS NULL`),
  ],
);

/** Refunds by the promise, which are counted by mailbox for a year: the row outlives its account. Withdrawals are a right, and not counted. */
export const countedRefunds = pgTable(
  "counted_refunds",
  {
    subscriptionId: text("subscription_id").primaryKey(),
    /** HMAC with AUTH_SECRET of the mailbox: see refund-count.server.ts. */
    mailboxHash: text("mailbox_hash").notNull(),
    refundedAt: instant("refunded_at").notNull().defaultNow(),
  },
  (table) => [
    index("counted_refunds_mailbox_hash_index").on(table.mailboxHash, table.refundedAt),
    index("counted_refunds_refunded_at_index").on(table.refundedAt),
  ],
);

/** Declarations of withdrawal from a contract, as received (Directive 2011/83/EU, Article 11a). */
export const withdrawals = pgTable(
  "withdrawals",
  {
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    subscriptionId: text("subscription_id").notNull().unique(),
    name: text("name").notNull(),
    /** Where its receipt was sent. */
    email: text("email").notNull(),
    declaredAt: instant("declared_at").notNull().defaultNow(),
  },
  (table) => [index("withdrawals_user_id_index").on(table.userId)],
);
