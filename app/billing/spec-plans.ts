import type { Tier } from "../entitlements/tiers.ts";
import type { BillingInterval } from "./plans.ts";

export interface SpecPlan {
  id: string;
  name: string;
  description: string;
  tier: Tier;
  position: number;
  prices: { lookupKey: string; unitAmount: number; interval: BillingInterval }[];
}

export const SPEC_CURRENCY = "usd";

/** Spec §9, for an account at Stripe that has none, and for the sandbox. */
export const SPEC_PLANS: readonly SpecPlan[] = [
  {
    id: "prod_csv_only",
    name: "CSV Only",
    description: "Upload your bank’s file and see it in your own words.",
    tier: "basic",
    position: 1,
    prices: [
      { lookupKey: "csv_only_monthly", unitAmount: 299, interval: "month" },
      { lookupKey: "csv_only_yearly", unitAmount: 2999, interval: "year" },
    ],
  },
  {
    id: "prod_csv_banking",
    name: "CSV + Banking",
    description: "Everything in CSV Only, plus transactions straight from your bank.",
    tier: "premium",
    position: 2,
    prices: [
      { lookupKey: "csv_banking_monthly", unitAmount: 499, interval: "month" },
      { lookupKey: "csv_banking_yearly", unitAmount: 4999, interval: "year" },
    ],
  },
];

export function metadataOf({ tier, position }: SpecPlan): { tier: string; position: string } {
  return { tier, position: String(position) };
}
