import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  check,
  index,
  integer,
  numeric,
  pgSequence,
  pgTable,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { createdAt, instant } from "../db/columns.ts";
import { TIERS_SQL } from "../entitlements/schema.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { promoCodes } from "../promo/schema.ts";

/** Drawn when a place is confirmed. */
export const waitlistTicketSequence = pgSequence("waitlist_ticket");

export const waitlistInvitations = pgTable(
  "waitlist_invitations",
  {
    id: text("id").primaryKey(),
    size: integer("size").notNull(),
    tier: text("tier").$type<Tier>().notNull(),
    durationMonths: integer("duration_months").notNull(),
    /** Of its codes; `null`: no end. */
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
    usesToday: text("uses_today"),
    /** In links of older mails (place-token.server.ts): plain until it is hashed. */
    token: text("token").unique(),
    tokenHash: text("token_hash"),
    /** Public: part of the link the member shares. */
    referralCode: text("referral_code").notNull().unique(),
    referredBy: text("referred_by").references((): AnyPgColumn => waitlist.id, { onDelete: "set null" }),
    ticket: bigint("ticket", { mode: "bigint" }).unique(),
    /** The ticket, until a friend moves them up (order.server.ts). */
    queuePosition: numeric("queue_position"),
    /** How many places their confirmation moved their referrer up; NULL until it did. */
    placesGiven: smallint("places_given"),
    confirmedAt: instant("confirmed_at"),
    /** Afterwards an unconfirmed row is deleted. */
    confirmBy: instant("confirm_by").notNull(),
    /** Mails since the last day without any: join.server.ts. */
    sends: integer("sends").notNull().default(1),
    sentAt: instant("sent_at").notNull().defaultNow(),
    invitationId: text("invitation_id").references(() => waitlistInvitations.id),
    invitationPosition: integer("invitation_position"),
    invitedAt: instant("invited_at"),
    promoCode: text("promo_code").references(() => promoCodes.code),
    createdAt: createdAt(),
  },
  (table) => [
    index("waitlist_token_hash_index").on(table.tokenHash).where(sql`${table.tokenHash} IS NOT NULL`),
    index("waitlist_referred_by_index").on(table.referredBy),
    uniqueIndex("waitlist_queue_index")
      .on(table.queuePosition)
      .where(sql`${table.invitationId} IS NULL AND ${table.queuePosition} IS NOT NULL`),
    index("waitlist_not_counted_index")
      .on(table.ticket)
      .where(
        sql`${table.ticket} IS NOT NULL AND ${table.referredBy} IS NOT NULL AND ${table.placesGiven} IS NULL`,
      ),
    index("waitlist_confirm_by_index").on(table.confirmBy).where(sql`${table.confirmedAt} IS NULL`),
    index("waitlist_invitation_index").on(table.invitationId, table.invitationPosition),
    index("waitlist_promo_code_index").on(table.promoCode),
    index("waitlist_created_at_index").on(table.createdAt, table.id),
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
