import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { user } from "../auth/schema.ts";
import { createdAt, instant } from "../db/columns.ts";
import { TIERS_SQL } from "../entitlements/schema.ts";
import type { Tier } from "../entitlements/tiers.ts";

export const promoBatches = pgTable(
  "promo_batches",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    size: integer("size").notNull(),
    tier: text("tier").$type<Tier>(),
    startsAt: instant("starts_at"),
    expiresAt: instant("expires_at"),
    maxUses: integer("max_uses"),
    durationType: text("duration_type").$type<"forever" | "months">().notNull(),
    durationMonths: integer("duration_months"),
    confirmedOnly: boolean("confirmed_only").notNull().default(false),
    oncePerMailbox: boolean("once_per_mailbox").notNull().default(false),
    createdAt: createdAt(),
    finishedAt: instant("finished_at"),
  },
  (table) => [
    check("promo_batches_size_check", sql`${table.size} BETWEEN 1 AND 10000`),
    check("promo_batches_name_check", sql`char_length(${table.name}) BETWEEN 1 AND 100`),
    check("promo_batches_tier_check", sql`${table.tier} IN ${TIERS_SQL}`),
    check("promo_batches_duration_type_check", sql`${table.durationType} IN ('forever', 'months')`),
    check("promo_batches_duration_months_check", sql`${table.durationMonths} BETWEEN 1 AND 1200`),
  ],
);

export const promoCodes = pgTable(
  "promo_codes",
  {
    code: text("code").primaryKey(),
    /** `null`: the user chooses when redeeming. */
    tier: text("tier").$type<Tier>(),
    /** `null`: at once. */
    startsAt: instant("starts_at"),
    /** `null`: no end. */
    expiresAt: instant("expires_at"),
    /** `null`: unlimited. */
    maxUses: integer("max_uses"),
    usedCount: integer("used_count").notNull().default(0),
    durationType: text("duration_type").$type<"forever" | "months">().notNull(),
    durationMonths: integer("duration_months"),
    /** `false` while it is paused. */
    active: boolean("active").notNull().default(true),
    confirmedOnly: boolean("confirmed_only").notNull().default(false),
    /** Accounts with other spellings of one mailbox then redeem it once together. */
    oncePerMailbox: boolean("once_per_mailbox").notNull().default(false),
    batchId: text("batch_id").references(() => promoBatches.id),
    note: text("note"),
    /** Codes of batches and invitations are listed with those. */
    isSingle: boolean("is_single").notNull().default(true),
    createdAt: createdAt(),
  },
  (table) => [
    check("promo_codes_code_check", sql`${table.code} = upper(${table.code}) AND ${table.code} <> ''`),
    index("promo_codes_single_created_at_index")
      .on(table.createdAt, table.code)
      .where(sql`${table.isSingle}`),
    index("promo_codes_single_code_index").on(table.code).where(sql`${table.isSingle}`),
    index("promo_codes_batch_id_index").on(table.batchId, table.code),
    check("promo_codes_note_check", sql`char_length(${table.note}) BETWEEN 1 AND 200`),
    check("promo_codes_window_check", sql`${table.startsAt} < ${table.expiresAt}`),
    check("promo_codes_tier_check", sql`${table.tier} IN ${TIERS_SQL}`),
    check(
      "promo_codes_used_count_check",
      sql`${table.usedCount} BETWEEN 0 AND coalesce(${table.maxUses}, ${table.usedCount})`,
    ),
    check("promo_codes_duration_type_check", sql`${table.durationType} IN ('forever', 'months')`),
    check("promo_codes_duration_months_check", sql`${table.durationMonths} BETWEEN 1 AND 1200`),
  ],
);

/** A redemption of a promo code is its grant; there is no second table that could disagree. */
export const grants = pgTable(
  "grants",
  {
    id: text("id").primaryKey(),
    /** `null` once the account is deleted; the use of the code still counts. */
    userId: text("user_id").references(() => user.id, { onDelete: "set null" }),
    tier: text("tier").$type<Tier>().notNull(),
    source: text("source").$type<"promo" | "admin">().notNull(),
    promoCode: text("promo_code").references(() => promoCodes.code),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
    /** Added when its plan's first feature opened; `expiresAt` includes them. */
    daysGiven: integer("days_given"),
    reason: text("reason"),
    /** HMAC of the code and the mailbox, where the code is once per mailbox: see `hashMailbox`. */
    mailboxHash: text("mailbox_hash"),
  },
  (table) => [
    unique("grants_user_promo_code_unique").on(table.userId, table.promoCode),
    // On the hash alone, which includes the code: with both, the planner would expect few grants of each code, and read them all.
    uniqueIndex("grants_mailbox_hash_unique")
      .on(table.mailboxHash)
      .where(sql`${table.mailboxHash} IS NOT NULL`),
    index("grants_promo_code_index").on(table.promoCode, table.createdAt, table.id),
    index("grants_created_at_index").on(table.createdAt, table.id),
    // With `WHERE revoked_at IS NULL`, the planner would read the whole index for the plans of one person: see `entitlements`.
    index("grants_expires_at_index").on(table.expiresAt),
    check("grants_reason_check", sql`char_length(${table.reason}) BETWEEN 1 AND 500`),
    check("grants_tier_check", sql`${table.tier} IN ${TIERS_SQL}`),
    check("grants_source_check", sql`(${table.source} = 'promo') = (${table.promoCode} IS NOT NULL)`),
  ],
);

/** By `rememberAddress`: an earlier account redeemed the code. */
export const redeemedAddresses = pgTable(
  "redeemed_addresses",
  {
    promoCode: text("promo_code")
      .notNull()
      .references(() => promoCodes.code),
    /** HMAC with AUTH_SECRET: once-per-person.server.ts. */
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
