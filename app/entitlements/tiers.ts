/** Ascending (spec §3). Keys are stored and never change meaning. After a change, make a migration (docs/CONTRIBUTING.md). */
export const TIERS = ["basic", "premium"] as const;

export type Tier = (typeof TIERS)[number];

export const FEATURES = ["csv_processing", "banking_api"] as const;

export type Feature = (typeof FEATURES)[number];

/** Spec §3, §6; also of the view `user_subscriptions`. */
export const FEATURES_BY_TIER: Record<Tier, readonly Feature[]> = {
  basic: ["csv_processing"],
  premium: ["csv_processing", "banking_api"],
};

/** Spec §2, Coming Soon block. */
export const FEATURE_NAMES: Record<Feature, string> = {
  csv_processing: "CSV Processing",
  banking_api: "Banking API",
};

/** Of the tier choice (spec §5). */
export const TIER_NAMES: Record<Tier, string> = {
  basic: "CSV Processing",
  premium: "CSV + Banking API",
};

/** Spec §9. */
export const PLAN_NAMES: Record<Tier, string> = {
  basic: "CSV Only",
  premium: "CSV + Banking",
};

export function includesTier(tier: Tier, other: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf(other);
}

export function isTier(value: unknown): value is Tier {
  return TIERS.some((tier) => tier === value);
}
