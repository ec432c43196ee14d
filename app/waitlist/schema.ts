import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  pgSequence,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { createdAt, instant } from "../db/columns.ts";
import { TIERS_SQL } from "../entitlements/schema.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { promoCodes } from "../promo/schema.ts";

/** Drawn when a place is confirmed; the order of the list. */
export const waitlistTicketSequence = pgSequence("waitlist_ticket");

/** The next people on the list, invited together; a job writes to them and can be gone on with. */
export const waitlistInvitations = pgTable(
  "waitlist_invitations",
  {
    id: text("id").primaryKey(),
    /** How many people were picked. */
    size: integer("size").notNull(),
    /** What each one's code gives. */
    tier: text("tier").$type<Tier>().notNull(),
    durationMonths: integer("duration_months").notNull(),
    /** Until when the codes can be redeemed. */
    expiresAt: instant("expires_at"),
    createdAt: createdAt(),
    finishedAt: instant("finished_at"),
  },
  (table) => [
    check("waitlist_invitations_size_check", sql`${table.size} BETWEEN 1 AND 10000`),
    check("waitlist_invitations_tier_check", sql`${table.tier} IN ${TIERS_SQL}`),
    check("waitlist_invitations_duration_months_check", sql`${table.durationMonths} BETWEEN 1 AND 1200`),
  ],
);

export const waitlist = pgTable(
  "waitlist",
  {
    id: text("id").primaryKey(),
    email: text("email").notNull().unique(),
    name: text("name"),
    /** What they use today, in their own words. */
    usesToday: text("uses_today"),
    /** Of the links in mails from before their token followed from the id (place-token.server.ts): as it is, until it is hashed. */
    token: text("token").unique(),
    tokenHash: text("token_hash"),
    /** Public: part of the link the member shares. */
    referralCode: text("referral_code").notNull().unique(),
    referredBy: text("referred_by").references((): AnyPgColumn => waitlist.id, { onDelete: "set null" }),
    ticket: bigint("ticket", { mode: "bigint" }).unique(),
    confirmedAt: instant("confirmed_at"),
    /** The deadline for confirming, after which the row is deleted. Meaningless once the place is confirmed. */
    confirmBy: instant("confirm_by").notNull(),
    /** Mails since the last day without one, and when the latest was written: see join.server.ts. */
    sends: integer("sends").notNull().default(1),
    sentAt: instant("sent_at").notNull().defaultNow(),
    /** The invitation they were picked for, and in which place of it. */
    invitationId: text("invitation_id").references(() => waitlistInvitations.id),
    invitationPosition: integer("invitation_position"),
    /** When their invitation was queued, and the code in it. */
    invitedAt: instant("invited_at"),
    promoCode: text("promo_code").references(() => promoCodes.code),
    createdAt: createdAt(),
  },
  (table) => [
    index("waitlist_token_hash_index").on(table.tokenHash).where(sql`${table.tokenHash} IS NOT NULL`),
    index("waitlist_referred_by_index").on(table.referredBy),
    index("waitlist_confirm_by_index").on(table.confirmBy).where(sql`${table.confirmedAt} IS NULL`),
    index("waitlist_invitation_index").on(table.invitationId, table.invitationPosition),
    index("waitlist_promo_code_index").on(table.promoCode),
    // The console's list and its search.
    index("waitlist_created_at_index").on(table.createdAt, table.id),
    // What is counted by day.
    index("waitlist_confirmed_at_index").on(table.confirmedAt).where(sql`${table.confirmedAt} IS NOT NULL`),
    index("waitlist_email_prefix_index").on(sql`${table.email} text_pattern_ops`),
    check("waitlist_invited_check", sql`(${table.invitedAt} IS NULL) = (${table.promoCode} IS NULL)`),
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

/*
 * The order of the queue (decision 0063). Triggers on `waitlist` keep these tables, whoever writes to it; a place's number is
 * asked of the function waitlist_number. Nothing else writes them.
 */

/** Where each member who waits stands: the order of the queue is that of the slots. Everybody joins in the slot of their ticket. */
export const waitlistSlots = pgTable(
  "waitlist_slots",
  {
    ticket: bigint("ticket", { mode: "bigint" }).primaryKey(),
    slot: bigint("slot", { mode: "bigint" }).notNull(),
  },
  (table) => [index("waitlist_slots_slot_index").on(table.slot)],
);

/**
 * How many wait in a range of slots, the order-statistics tree above them: nodes of level 0 are 128 slots wide, those of each
 * further level 32 times as wide. Slots from `waitlist_totals.counted_before` on are not in it yet.
 */
export const waitlistCounts = pgTable(
  "waitlist_counts",
  {
    level: integer("level").notNull(),
    node: bigint("node", { mode: "bigint" }).notNull(),
    members: bigint("members", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.node] })],
);

/** Members who have brought somebody, whether they still wait or were invited. */
export const waitlistReferrers = pgTable(
  "waitlist_referrers",
  {
    ticket: bigint("ticket", { mode: "bigint" }).primaryKey(),
    /** How many confirmed friends of theirs are on the list. */
    friends: integer("friends").notNull(),
    /** Places that friends were worth beyond the first of the queue: given back first when a friend leaves. */
    spare: integer("spare").notNull(),
  },
  (table) => [index("waitlist_referrers_friends_index").on(table.friends.desc(), table.ticket)],
);

/** The one row of what is counted of the whole list. */
export const waitlistTotals = pgTable(
  "waitlist_totals",
  {
    onlyRow: boolean("only_row").primaryKey().default(true),
    countedBefore: bigint("counted_before", { mode: "bigint" }).notNull(),
    /** Who was picked for an invitation and is still on the list. */
    invited: bigint("invited", { mode: "number" }).notNull(),
  },
  (table) => [check("waitlist_totals_only_row_check", sql`${table.onlyRow}`)],
);
