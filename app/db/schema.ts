import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  bigserial,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  pgView,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { MailLinkPurpose } from "../auth/mail-link-purposes.ts";
import type { BillingInterval } from "../billing/plans.ts";
import type { Topic } from "../contact/topics.ts";
import type { Tier } from "../entitlements/tiers.ts";

/** Every instant is UTC, and the database's clock decides. */
const instant = (name: string) => timestamp(name, { withTimezone: true });
const createdAt = () => instant("created_at").notNull().defaultNow();
const updatedAt = () => instant("updated_at").notNull().defaultNow();

const TIERS = sql.raw("('basic', 'premium')");

/** What the database is for, written once at its first start: see purpose.server.ts. */
export const databasePurpose = pgTable(
  "database_purpose",
  {
    onlyRow: boolean("only_row").primaryKey().default(true),
    purpose: text("purpose").$type<"sandbox" | "test" | "live">().notNull(),
  },
  (table) => [check("database_purpose_only_row_check", sql`${table.onlyRow}`)],
);

// Better Auth's tables; schema.test.ts compares them with what the installed version asks for.

export const user = pgTable("user", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  email: text("email").notNull().unique(),
  emailVerified: boolean("email_verified").notNull().default(false),
  image: text("image"),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const session = pgTable(
  "session",
  {
    id: text("id").primaryKey(),
    expiresAt: instant("expires_at").notNull(),
    token: text("token").notNull().unique(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    /** When whoever uses it last showed who they are: see session.server.ts. Not one of Better Auth's. */
    confirmedAt: instant("confirmed_at").notNull().defaultNow(),
  },
  (table) => [
    index("session_user_id_index").on(table.userId),
    index("session_expires_at_index").on(table.expiresAt),
  ],
);

export const account = pgTable(
  "account",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: instant("access_token_expires_at"),
    refreshTokenExpiresAt: instant("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("account_user_id_index").on(table.userId),
    unique("account_provider_account_unique").on(table.providerId, table.accountId),
  ],
);

export const verification = pgTable(
  "verification",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: instant("expires_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("verification_identifier_index").on(table.identifier),
    index("verification_expires_at_index").on(table.expiresAt),
  ],
);

/** The keys our own tokens are signed with; the private half is encrypted with AUTH_SECRET. Better Auth's, too. */
export const jwks = pgTable("jwks", {
  id: text("id").primaryKey(),
  publicKey: text("public_key").notNull(),
  privateKey: text("private_key").notNull(),
  createdAt: createdAt(),
  expiresAt: instant("expires_at"),
  alg: text("alg"),
  crv: text("crv"),
});

// Signing in, as far as it is ours.

/** What a link in a mail may do, once. Whoever has the token can do it, so only its hash is kept. */
export const mailLinks = pgTable(
  "mail_links",
  {
    /** SHA-256 of the token, in base64url. */
    tokenHash: text("token_hash").primaryKey(),
    purpose: text("purpose").$type<MailLinkPurpose>().notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    /** The address it was sent to, which it proves: for change_email the new one. */
    email: text("email").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** A used link is kept for a few minutes, so that a form sent twice gets the answer to the first. */
    usedAt: instant("used_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("mail_links_user_id_index").on(table.userId),
    index("mail_links_expires_at_index").on(table.expiresAt),
    check(
      "mail_links_purpose_check",
      sql`${table.purpose} IN ('verify_email', 'reset_password', 'change_email')`,
    ),
  ],
);

/** Somebody who is away at Google or Facebook, and what they are to find when they come back. */
export const providerFlows = pgTable(
  "provider_flows",
  {
    /** SHA-256 of the state parameter, in base64url. */
    stateHash: text("state_hash").primaryKey(),
    provider: text("provider").$type<"google" | "facebook">().notNull(),
    intent: text("intent").$type<"sign_in" | "connect" | "confirm">().notNull(),
    /** Who is signed in already; nobody when the intent is to sign in. */
    userId: text("user_id").references(() => user.id, { onDelete: "cascade" }),
    /** SHA-256 of the secret in the cookie of the browser that began. */
    browserHash: text("browser_hash").notNull(),
    /** What the opener of the popup recognises its own popup by; without a popup there is none. */
    popupNonce: text("popup_nonce").unique(),
    nonce: text("nonce").notNull(),
    codeVerifier: text("code_verifier").notNull(),
    returnTo: text("return_to").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** When somebody came back with its state. Nobody may a second time. */
    usedAt: instant("used_at"),
    /** 'ok', or the code of what went wrong; for an opener whom the popup could not tell. */
    outcome: text("outcome"),
    createdAt: createdAt(),
  },
  (table) => [
    index("provider_flows_user_id_index").on(table.userId),
    index("provider_flows_expires_at_index").on(table.expiresAt),
    check("provider_flows_provider_check", sql`${table.provider} IN ('google', 'facebook')`),
    check("provider_flows_intent_check", sql`${table.intent} IN ('sign_in', 'connect', 'confirm')`),
    check("provider_flows_user_id_check", sql`(${table.intent} = 'sign_in') = (${table.userId} IS NULL)`),
  ],
);

/** Tokens of the hosted app that have opened a session here; none may twice. */
export const handoffs = pgTable(
  "handoffs",
  {
    /** SHA-256 of issuer and `jti`, in base64url. */
    tokenHash: text("token_hash").primaryKey(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("handoffs_expires_at_index").on(table.expiresAt)],
);

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

/** Drawn before Stripe is asked, so that an answer asked for earlier never overwrites a later one. */
export const syncTicketSequence = pgSequence("sync_ticket");

const syncTicket = () => bigint("sync_ticket", { mode: "bigint" }).notNull();

// The catalogue: a mirror of the payments store, written by syncCatalogue alone.

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
  (table) => [check("products_tier_check", sql`${table.tier} IN ${TIERS}`)],
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
    /** At Stripe: of two prices for the same, the newer is on sale. */
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

/** Active prices of the payments store that no plan here can have, for the operator to read. */
export const skippedPrices = pgTable("skipped_prices", {
  id: text("id").primaryKey(),
  productName: text("product_name").notNull(),
  /** In words that follow the price: "has no fixed amount". */
  reason: text("reason").notNull(),
});

// Payments.

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
    /** Stripe's own word: active, trialing, past_due, canceled, … */
    status: text("status").notNull(),
    currentPeriodEnd: instant("current_period_end").notNull(),
    cancelAt: instant("cancel_at"),
    startedAt: instant("started_at").notNull(),
    syncTicket: syncTicket(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("stripe_subscriptions_user_id_index").on(table.userId),
    check("stripe_subscriptions_tier_check", sql`${table.tier} IN ${TIERS}`),
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
    /** When its user came back from paying and we could not tell yet what had become of it. */
    returnedAt: instant("returned_at"),
    status: text("status").$type<"open" | "closed">().notNull().default("open"),
    /** How often Stripe was asked what became of it, and when to ask next; `null` when nothing can be paid on it any more. */
    checks: integer("checks").notNull().default(0),
    checkAt: instant("check_at").default(sql`now() + interval '1 minute'`),
    createdAt: createdAt(),
  },
  (table) => [
    index("checkout_attempts_user_id_index").on(table.userId),
    index("checkout_attempts_check_at_index").on(table.checkAt).where(sql`${table.checkAt} IS NOT NULL`),
    index("checkout_attempts_settled_index").on(table.createdAt).where(sql`${table.checkAt} IS NULL`),
    // One payable session per user at a time: the rule that keeps anybody from paying twice.
    uniqueIndex("checkout_attempts_one_open_per_user").on(table.userId).where(sql`${table.status} = 'open'`),
    check("checkout_attempts_status_check", sql`${table.status} IN ('open', 'closed')`),
  ],
);

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

// Promo codes and what they gave.

export const promoCodes = pgTable(
  "promo_codes",
  {
    code: text("code").primaryKey(),
    /** `null`: whoever redeems it chooses. */
    tier: text("tier").$type<Tier>(),
    expiresAt: instant("expires_at"),
    maxUses: integer("max_uses"),
    usedCount: integer("used_count").notNull().default(0),
    durationType: text("duration_type").$type<"forever" | "months">().notNull(),
    durationMonths: integer("duration_months"),
    active: boolean("active").notNull().default(true),
    createdAt: createdAt(),
  },
  (table) => [
    check("promo_codes_code_check", sql`${table.code} = upper(${table.code}) AND ${table.code} <> ''`),
    check("promo_codes_tier_check", sql`${table.tier} IN ${TIERS}`),
    check(
      "promo_codes_used_count_check",
      sql`${table.usedCount} BETWEEN 0 AND coalesce(${table.maxUses}, ${table.usedCount})`,
    ),
    check("promo_codes_duration_type_check", sql`${table.durationType} IN ('forever', 'months')`),
    check("promo_codes_duration_months_check", sql`${table.durationMonths} BETWEEN 1 AND 1200`),
  ],
);

/** A redemption is its grant: there is no second table that could disagree. */
export const grants = pgTable(
  "grants",
  {
    id: text("id").primaryKey(),
    /** `null` once the account is deleted: that the code was used stays true. */
    userId: text("user_id").references(() => user.id, { onDelete: "set null" }),
    tier: text("tier").$type<Tier>().notNull(),
    source: text("source").$type<"promo" | "admin">().notNull(),
    promoCode: text("promo_code").references(() => promoCodes.code),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    unique("grants_user_promo_code_unique").on(table.userId, table.promoCode),
    index("grants_promo_code_index").on(table.promoCode),
    check("grants_tier_check", sql`${table.tier} IN ${TIERS}`),
    check("grants_source_check", sql`(${table.source} = 'promo') = (${table.promoCode} IS NOT NULL)`),
  ],
);

/**
 * Addresses at which a promo code has been redeemed and that no account, or another one, has by now: the code is not
 * given there again. Written by rememberAddress alone.
 */
export const redeemedAddresses = pgTable(
  "redeemed_addresses",
  {
    promoCode: text("promo_code")
      .notNull()
      .references(() => promoCodes.code),
    /** Keyed with AUTH_SECRET, so that nobody without it learns the address: see once-per-person.server.ts. */
    emailHash: text("email_hash").notNull(),
    grantId: text("grant_id")
      .notNull()
      .references(() => grants.id),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.promoCode, table.emailHash] }),
    index("redeemed_addresses_grant_id_index").on(table.grantId),
  ],
);

/**
 * Every live thing a user holds. What has ended is simply not a row any more; what renews stays an hour past its end,
 * while the news of its renewal is on the way.
 */
export const heldPlans = pgView("held_plans", {
  userId: text("user_id"),
  tier: text("tier").$type<Tier>().notNull(),
  source: text("source").$type<"promo" | "admin" | "paid">().notNull(),
  promoCode: text("promo_code"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** Whether it renews at `expiresAt`. */
  renews: boolean("renews").notNull(),
}).as(sql`
  SELECT held.user_id, held.tier, held.source, held.promo_code, held.created_at, held.expires_at, held.renews
  FROM (
    SELECT user_id, tier, source, promo_code, created_at, expires_at, false AS renews
    FROM grants
    WHERE revoked_at IS NULL
    UNION ALL
    SELECT user_id, tier, 'paid', NULL, started_at, least(current_period_end, cancel_at), cancel_at IS NULL
    FROM stripe_subscriptions
    WHERE status IN ('active', 'trialing')
  ) AS held
  WHERE held.expires_at > now() - CASE WHEN held.renews THEN interval '1 hour' ELSE interval '0' END`);

/** The best of what each user holds, in the shape of spec §3. Access is derived here and nowhere stored. */
export const userSubscriptions = pgView("user_subscriptions", {
  userId: text("user_id").notNull(),
  email: text("email").notNull(),
  tier: text("tier").$type<Tier>().notNull(),
  status: text("status").$type<"active">().notNull(),
  source: text("source").$type<"promo" | "admin" | "paid">().notNull(),
  promoCode: text("promo_code"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** Whether it renews by itself at `expiresAt`. */
  renews: boolean("renews").notNull(),
  features: text("features").array().notNull(),
}).as(sql`
  SELECT DISTINCT ON (held.user_id)
    held.user_id, "user".email, held.tier, 'active' AS status, held.source, held.promo_code,
    held.created_at, held.expires_at, held.renews,
    CASE held.tier
      WHEN 'premium' THEN ARRAY['csv_processing', 'banking_api']
      ELSE ARRAY['csv_processing']
    END AS features
  FROM held_plans AS held
  JOIN "user" ON "user".id = held.user_id
  ORDER BY held.user_id, held.tier = 'premium' DESC, held.expires_at DESC`);

// People who are not users: those who wait, and those who write.

/** Drawn when a place is confirmed: the order of the list. */
export const waitlistTicketSequence = pgSequence("waitlist_ticket");

export const waitlist = pgTable(
  "waitlist",
  {
    id: text("id").primaryKey(),
    email: text("email").notNull().unique(),
    name: text("name"),
    /** What they use today, in their own words. */
    usesToday: text("uses_today"),
    /** Whoever has it may confirm, see and give up the place; only mail to the address carries it. */
    token: text("token").notNull().unique(),
    /** Public: it is in the link they give to friends. */
    referralCode: text("referral_code").notNull().unique(),
    referredBy: text("referred_by").references((): AnyPgColumn => waitlist.id, { onDelete: "set null" }),
    ticket: bigint("ticket", { mode: "bigint" }).unique(),
    confirmedAt: instant("confirmed_at"),
    /** Until when the place can be confirmed; afterwards the row is deleted. Means nothing once it is. */
    confirmBy: instant("confirm_by").notNull(),
    /** Mails since the last day without one, and when the latest was written: see join.server.ts. */
    sends: integer("sends").notNull().default(1),
    sentAt: instant("sent_at").notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (table) => [
    index("waitlist_referred_by_index").on(table.referredBy),
    index("waitlist_confirm_by_index").on(table.confirmBy).where(sql`${table.confirmedAt} IS NULL`),
    check(
      "waitlist_email_check",
      sql`${table.email} = lower(btrim(${table.email})) AND char_length(${table.email}) BETWEEN 3 AND 254`,
    ),
    check("waitlist_name_check", sql`char_length(${table.name}) BETWEEN 1 AND 100`),
    check("waitlist_uses_today_check", sql`char_length(${table.usesToday}) BETWEEN 1 AND 200`),
    check("waitlist_token_check", sql`char_length(${table.token}) = 43`),
    check("waitlist_referral_code_check", sql`${table.referralCode} ~ '^[2-9a-z]{10}$'`),
    check("waitlist_referred_by_check", sql`${table.referredBy} <> ${table.id}`),
    check("waitlist_ticket_check", sql`(${table.ticket} IS NULL) = (${table.confirmedAt} IS NULL)`),
    check("waitlist_sends_check", sql`${table.sends} BETWEEN 1 AND 4`),
  ],
);

export const contactMessages = pgTable(
  "contact_messages",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    topic: text("topic").$type<Topic>().notNull(),
    message: text("message").notNull(),
    /** SHA-256 of all the above but the id: a form that is sent twice is one message. */
    contentHash: text("content_hash").notNull().unique(),
    /** When it was sent; sent again word for word after a while, when that was. */
    createdAt: createdAt(),
  },
  (table) => [
    index("contact_messages_email_index").on(sql`lower(${table.email})`),
    check("contact_messages_name_check", sql`char_length(${table.name}) BETWEEN 1 AND 100`),
    check("contact_messages_email_check", sql`char_length(${table.email}) BETWEEN 3 AND 254`),
    check(
      "contact_messages_topic_check",
      sql`${table.topic} IN ('account', 'payment', 'promo', 'idea', 'business', 'other')`,
    ),
    check("contact_messages_message_check", sql`char_length(${table.message}) BETWEEN 1 AND 4000`),
  ],
);

// Work to do after a commit.

export const outbox = pgTable(
  "outbox",
  {
    id: bigserial("id", { mode: "bigint" }).primaryKey(),
    kind: text("kind").notNull(),
    payload: jsonb("payload").notNull(),
    /** What it is about: of a kind, one job at most waits for each. `null`: every job is a job of its own. */
    dedupeKey: text("dedupe_key"),
    /** The Stripe events that are handled when it is done. */
    eventIds: text("event_ids").array().notNull().default([]),
    /** When it may be claimed; while it is being run, when its worker is given up. */
    runAt: instant("run_at").notNull().defaultNow(),
    /** When a worker took it; `null` while it waits. */
    claimedAt: instant("claimed_at"),
    /** How often it was claimed: also what a worker knows its own claim by. */
    attempts: integer("attempts").notNull().default(0),
    doneAt: instant("done_at"),
    lastError: text("last_error"),
    createdAt: createdAt(),
  },
  (table) => [
    index("outbox_due_index").on(table.runAt).where(sql`${table.doneAt} IS NULL`),
    index("outbox_done_at_index").on(table.doneAt).where(sql`${table.doneAt} IS NOT NULL`),
    uniqueIndex("outbox_one_waiting_unique")
      .on(table.kind, table.dedupeKey)
      .where(sql`${table.doneAt} IS NULL AND ${table.claimedAt} IS NULL`),
    index("outbox_running_index")
      .on(table.kind, table.dedupeKey)
      .where(sql`${table.doneAt} IS NULL AND ${table.claimedAt} IS NOT NULL`),
  ],
);
