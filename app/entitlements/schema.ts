import { sql } from "drizzle-orm";
import { boolean, check, pgTable, pgView, text } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";
import { FEATURES, FEATURES_BY_TIER, type Feature, TIERS, type Tier } from "./tiers.ts";

/** For CHECK constraints. */
export const TIERS_SQL = sql.raw(`(${quoted(TIERS)})`);

export const FEATURES_SQL = sql.raw(`(${quoted(FEATURES)})`);

/** Without a row, or a time: still being built. */
export const features = pgTable(
  "features",
  {
    key: text("key").$type<Feature>().primaryKey(),
    openedAt: instant("opened_at"),
  },
  (table) => [check("features_key_check", sql`${table.key} IN ${FEATURES_SQL}`)],
);

/** Grants and subscriptions whose access has not ended. */
export const entitlements = pgView("held_plans", {
  userId: text("user_id"),
  tier: text("tier").$type<Tier>().notNull(),
  source: text("source").$type<"promo" | "admin" | "paid">().notNull(),
  promoCode: text("promo_code"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** False once its period is over and no renewal is known: it then only has its days of grace. */
  renews: boolean("renews").notNull(),
}).as(sql`
  SELECT user_id, tier, source, promo_code, created_at,
    CASE WHEN renews THEN period_end ELSE access_until END AS expires_at, renews
  FROM (
    SELECT user_id, tier, source, promo_code, created_at, expires_at AS access_until, false AS renews,
      expires_at AS period_end
    FROM grants
    WHERE revoked_at IS NULL
    UNION ALL
    SELECT user_id, tier, 'paid', NULL, started_at, paid.access_until,
      current_period_end > now() AND current_period_end < paid.access_until
        AND (cancel_at IS NULL OR cancel_at > current_period_end),
      current_period_end
    FROM stripe_subscriptions, LATERAL (
      SELECT coalesce(
        access_until,
        -- Not synced since access_until exists.
        CASE WHEN status IN ('active', 'trialing')
          THEN least(current_period_end + interval '1 hour', cancel_at) END
      ) AS access_until
    ) AS paid
  ) AS held
  -- IS TRUE keeps the planner from reading everybody's plans by the index on their ends, to find those of one person: it
  -- cannot know how many there are when many were made since the table was analyzed.
  WHERE (access_until > now()) IS TRUE`);

const [LOWEST_TIER, ...HIGHER_TIERS] = TIERS;

const FEATURES_OF_TIERS_SQL = sql.raw(
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
  renews: boolean("renews").notNull(),
  features: text("features").array().$type<Feature[]>().notNull(),
}).as(sql`
  SELECT DISTINCT ON (held.user_id)
    held.user_id, "user".email, held.tier, 'active' AS status, held.source, held.promo_code,
    held.created_at, held.expires_at, held.renews,
    CASE held.tier
      ${FEATURES_OF_TIERS_SQL}
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
