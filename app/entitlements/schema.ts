import { sql } from "drizzle-orm";
import { boolean, pgView, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";
import { FEATURES_BY_TIER, TIERS, type Tier } from "./tiers.ts";

/** For CHECK constraints on tier columns. */
export const TIERS_SQL = sql.raw(`(${quoted(TIERS)})`);

/**
 * Every grant and subscription in force. Expired ones are left out, but those that renew stay for an hour after the end
 * of their period, until the renewal has been synced.
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

const [LOWEST_TIER, ...HIGHER_TIERS] = TIERS;

/** `CASE held.tier`: the features of each tier. */
const FEATURES_SQL = sql.raw(
  [
    ...HIGHER_TIERS.toReversed().map((tier) => `WHEN '${tier}' THEN ${featuresOf(tier)}`),
    `ELSE ${featuresOf(LOWEST_TIER)}`,
  ].join("\n      "),
);

const HIGHEST_TIER_FIRST_SQL = sql.raw(
  HIGHER_TIERS.toReversed()
    .map((tier) => `held.tier = '${tier}' DESC`)
    .join(", "),
);

/** The best plan of each user, in the shape of spec §3. Access is derived here and stored nowhere. */
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
      ${FEATURES_SQL}
    END AS features
  FROM held_plans AS held
  JOIN "user" ON "user".id = held.user_id
  ORDER BY held.user_id, ${HIGHEST_TIER_FIRST_SQL}, held.expires_at DESC`);

function featuresOf(tier: Tier): string {
  return `ARRAY[${quoted(FEATURES_BY_TIER[tier])}]`;
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(", ");
}
