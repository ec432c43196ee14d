/**
 * What a subscriber may hold, from least to most (spec §3). The keys are stored and never change meaning. The checks and
 * the view in schema.ts are made from this list: after a change, `npm run db:generate`.
 */
export const TIERS = ["basic", "premium"] as const;

export type Tier = (typeof TIERS)[number];

export type Feature = "csv_processing" | "banking_api";

/** Feature entitlement follows the tier (spec §3, §6), here and in the view `user_subscriptions`. */
export const FEATURES_BY_TIER: Record<Tier, readonly Feature[]> = {
  basic: ["csv_processing"],
  premium: ["csv_processing", "banking_api"],
};

/** The words a person reads for each feature (spec §2, Coming Soon block). */
export const FEATURE_NAMES: Record<Feature, string> = {
  csv_processing: "CSV Processing",
  banking_api: "Banking API",
};

/** The words of the tier choice (spec §5). */
export const TIER_NAMES: Record<Tier, string> = {
  basic: "CSV Processing",
  premium: "CSV + Banking API",
};

/** The plans' names (spec §9), for sentences about what somebody gets. */
export const PLAN_NAMES: Record<Tier, string> = {
  basic: "CSV Only",
  premium: "CSV + Banking",
};

/** Whether `tier` gives everything that `other` gives. */
export function includesTier(tier: Tier, other: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf(other);
}

/** Whether something from outside is one of the tiers. */
export function isTier(value: unknown): value is Tier {
  return TIERS.some((tier) => tier === value);
}
