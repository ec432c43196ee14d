/** In ascending order (spec §3); keys never change meaning. schema.ts is made from this: then run `npx drizzle-kit generate`. */
export const TIERS = ["basic", "premium"] as const;

export type Tier = (typeof TIERS)[number];

export type Feature = "csv_processing" | "banking_api";

/** Features by tier (spec §3, §6), also of the view `user_subscriptions`. */
export const FEATURES_BY_TIER: Record<Tier, readonly Feature[]> = {
  basic: ["csv_processing"],
  premium: ["csv_processing", "banking_api"],
};

/** Display names of the features (spec §2, Coming Soon block). */
export const FEATURE_NAMES: Record<Feature, string> = {
  csv_processing: "CSV Processing",
  banking_api: "Banking API",
};

/** Labels of the tier choice (spec §5). */
export const TIER_NAMES: Record<Tier, string> = {
  basic: "CSV Processing",
  premium: "CSV + Banking API",
};

/** The plans' names (spec §9), for use in sentences. */
export const PLAN_NAMES: Record<Tier, string> = {
  basic: "CSV Only",
  premium: "CSV + Banking",
};

/** Whether `tier` includes all features of `other`. */
export function includesTier(tier: Tier, other: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf(other);
}

/** Whether an untrusted value is a tier. */
export function isTier(value: unknown): value is Tier {
  return TIERS.some((tier) => tier === value);
}
