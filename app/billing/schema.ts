import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgSequence,
  pgTable,
  primaryKey,
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
    unitAmount: integer("unit_amount").notNull(),
    currency: text("currency").notNull(),
    interval: text("interval").$type<BillingInterval>().notNull(),
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

export const skippedPrices = pgTable("skipped_prices", {
  id: text("id").primaryKey(),
  productName: text("product_name").notNull(),
  reason: text("reason").notNull(),
});

export const customers = pgTable("customers", {
  userId: text("user_id")
    .primaryKey()
    .references(() => user.id),
  stripeCustomerId: text("stripe_customer_id").notNull().unique(),
  paymentMethodId: text("payment_method_id"),
  cardBrand: text("card_brand"),
  cardLast4: text("card_last4"),
  cardExpMonth: integer("card_exp_month"),
  cardExpYear: integer("card_exp_year"),
  syncedAt: instant("synced_at"),
  syncTicket: bigint("sync_ticket", { mode: "bigint" }).notNull().default(sql`0`),
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
    /** Stripe adds tax: STRIPE_TAX was on when it was bought, or an operator turned tax on at Stripe. */
    isTaxed: boolean("is_taxed").notNull().default(false),
    status: text("status").notNull(),
    currentPeriodStart: instant("current_period_start"),
    currentPeriodEnd: instant("current_period_end").notNull(),
    /** When its access ends (lifecycle.ts). `null`: not synced since this column exists. */
    accessUntil: instant("access_until"),
    trialEnd: instant("trial_end"),
    /** Days by which its renewal moved when its plan's first feature opened. */
    daysGiven: integer("days_given"),
    cancelAt: instant("cancel_at"),
    canceledAt: instant("canceled_at"),
    endedAt: instant("ended_at"),
    /** While payments are paused: void, keep_as_draft, mark_uncollectible. */
    pauseBehavior: text("pause_behavior"),
    resumesAt: instant("resumes_at"),
    /** What it changes to at the end of its period, and the Stripe schedule that does it. */
    nextPriceId: text("next_price_id"),
    scheduleId: text("schedule_id"),
    /** In minor units of the price's currency; `null`: no charge is planned. */
    nextAmount: integer("next_amount"),
    nextPaymentAt: instant("next_payment_at"),
    startedAt: instant("started_at").notNull(),
    syncTicket: syncTicket(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("stripe_subscriptions_user_id_index").on(table.userId),
    index("stripe_subscriptions_price_id_index").on(table.priceId),
    index("stripe_subscriptions_started_at_index").on(table.startedAt, table.id),
    index("stripe_subscriptions_canceled_at_index")
      .on(table.canceledAt)
      .where(sql`${table.canceledAt} IS NOT NULL`),
    index("stripe_subscriptions_ended_at_index").on(table.endedAt).where(sql`${table.endedAt} IS NOT NULL`),
    // For overdue syncs and for mails ahead of a date: each covers few of all rows.
    index("stripe_subscriptions_period_end_index")
      .on(table.currentPeriodEnd)
      .where(sql`${table.status} IN ('active', 'trialing')`),
    index("stripe_subscriptions_cancel_at_index")
      .on(table.cancelAt)
      .where(
        sql`${table.cancelAt} IS NOT NULL AND ${table.status} NOT IN ('canceled', 'incomplete_expired')`,
      ),
    index("stripe_subscriptions_late_index").on(table.accessUntil).where(sql`${table.status} = 'past_due'`),
    index("stripe_subscriptions_incomplete_index")
      .on(table.userId)
      .where(sql`${table.status} = 'incomplete'`),
    index("stripe_subscriptions_resumes_at_index")
      .on(table.resumesAt)
      .where(sql`${table.resumesAt} IS NOT NULL`),
    index("stripe_subscriptions_renewal_index")
      .on(sql`coalesce(${table.nextPriceId}, ${table.priceId})`, table.nextPaymentAt)
      .where(sql`${table.status} = 'active'`),
    index("stripe_subscriptions_trial_index")
      .on(table.nextPaymentAt)
      .where(sql`${table.status} = 'trialing'`),
    index("stripe_subscriptions_never_synced_index")
      .on(table.userId)
      .where(sql`${table.accessUntil} IS NULL`),
    check("stripe_subscriptions_tier_check", sql`${table.tier} IN ${TIERS_SQL}`),
  ],
);

/** A mirror of our customers' invoices, with one writer, `syncCustomer`. */
export const stripeInvoices = pgTable(
  "stripe_invoices",
  {
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id),
    subscriptionId: text("subscription_id"),
    number: text("number"),
    status: text("status").notNull(),
    billingReason: text("billing_reason"),
    description: text("description"),
    priceId: text("price_id"),
    currency: text("currency").notNull(),
    total: integer("total").notNull(),
    tax: integer("tax").notNull().default(0),
    amountDue: integer("amount_due").notNull(),
    amountPaid: integer("amount_paid").notNull(),
    amountRefunded: integer("amount_refunded").notNull().default(0),
    /** What a bank sent back of its refunds and was not refunded again. */
    refundFailed: integer("refund_failed").notNull().default(0),
    refundFailure: text("refund_failure"),
    refundFailedAt: instant("refund_failed_at"),
    createdAt: instant("created_at").notNull(),
    paidAt: instant("paid_at"),
    periodStart: instant("period_start"),
    periodEnd: instant("period_end"),
    attemptCount: integer("attempt_count").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at"),
    needsAuthentication: boolean("needs_authentication").notNull().default(false),
    declineCode: text("decline_code"),
    hostedUrl: text("hosted_url"),
    pdfUrl: text("pdf_url"),
    paymentIntentId: text("payment_intent_id"),
    disputeStatus: text("dispute_status"),
    syncTicket: syncTicket(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("stripe_invoices_user_id_index").on(table.userId, table.createdAt),
    index("stripe_invoices_paid_at_index").on(table.paidAt, table.id),
    index("stripe_invoices_subscription_id_index").on(table.subscriptionId),
    // Customers quote the number on their receipt.
    index("stripe_invoices_number_index").on(table.number),
    // Events about refunds and disputes name only the payment intent.
    index("stripe_invoices_payment_intent_id_index").on(table.paymentIntentId),
    index("stripe_invoices_disputed_index")
      .on(table.userId)
      .where(sql`${table.disputeStatus} IN ('needs_response', 'under_review')`),
    index("stripe_invoices_refund_failed_index").on(table.userId).where(sql`${table.refundFailed} > 0`),
    index("stripe_invoices_next_attempt_index").on(table.nextAttemptAt).where(sql`${table.status} = 'open'`),
  ],
);

export const billingNotices = pgTable(
  "billing_notices",
  {
    kind: text("kind").notNull(),
    subject: text("subject").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.subject] }),
    index("billing_notices_user_id_index").on(table.userId),
    index("billing_notices_created_at_index").on(table.createdAt).where(sql`${table.kind} <> 'card_expires'`),
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
    /** When its buyer came back from the payment page; `null` once the payment is confirmed. */
    returnedAt: instant("returned_at"),
    status: text("status").$type<"open" | "closed">().notNull().default("open"),
    checks: integer("checks").notNull().default(0),
    checkAt: instant("check_at").default(sql`now() + interval '1 minute'`),
    createdAt: createdAt(),
  },
  (table) => [
    index("checkout_attempts_user_id_index").on(table.userId),
    index("checkout_attempts_check_at_index").on(table.checkAt).where(sql`${table.checkAt} IS NOT NULL`),
    index("checkout_attempts_settled_index").on(table.createdAt).where(sql`${table.checkAt} IS NULL`),
    // So that no user pays twice.
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
    customerId: text("customer_id"),
  },
  (table) => [
    index("stripe_events_handled_at_index").on(table.handledAt),
    index("stripe_events_unhandled_index").on(table.receivedAt).where(sql`${table.handledAt} IS NULL`),
    index("stripe_events_received_at_index").on(table.receivedAt, table.id),
    index("stripe_events_customer_id_index").on(table.customerId, table.receivedAt),
  ],
);

export const planChanges = pgTable(
  "plan_changes",
  {
    subscriptionId: text("subscription_id")
      .primaryKey()
      .references(() => stripeSubscriptions.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    /** Increases with each request, so that an older one is never taken for the latest. */
    number: integer("number").notNull().default(1),
    kind: text("kind").$type<"cancel" | "resume" | "change" | "refund" | "withdraw">().notNull(),
    priceId: text("price_id"),
    /** The moment for which the change was calculated in its review. */
    prorationDate: instant("proration_date"),
    /** Stripe's feedback value, and the customer's words until Stripe has them. */
    reason: text("reason"),
    comment: text("comment"),
    atOnce: boolean("at_once").notNull().default(false),
    requestedAt: instant("requested_at").notNull().defaultNow(),
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

/** The renewal terms shown beside the button, to which pressing it agrees. */
export const renewalConsents = pgTable(
  "renewal_consents",
  {
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    priceId: text("price_id").notNull(),
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

/** Refunds of a mailbox, counted for a year, so that rows outlive their account. Withdrawals are a right and not counted. */
export const countedRefunds = pgTable(
  "counted_refunds",
  {
    subscriptionId: text("subscription_id").primaryKey(),
    /** HMAC with AUTH_SECRET: refund-count.server.ts. */
    mailboxHash: text("mailbox_hash").notNull(),
    refundedAt: instant("refunded_at").notNull().defaultNow(),
  },
  (table) => [
    index("counted_refunds_mailbox_hash_index").on(table.mailboxHash, table.refundedAt),
    index("counted_refunds_refunded_at_index").on(table.refundedAt),
  ],
);

/** Statements of withdrawal, as received (Directive 2011/83/EU, Article 11a). */
export const withdrawals = pgTable(
  "withdrawals",
  {
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    subscriptionId: text("subscription_id").notNull().unique(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    declaredAt: instant("declared_at").notNull().defaultNow(),
  },
  (table) => [index("withdrawals_user_id_index").on(table.userId)],
);
