import type { Plan } from "../stripe/catalogue.ts";

/** Two plans to test with. */
export const SAMPLE_PLANS: readonly Plan[] = [
  {
    id: "prod_csv_only",
    name: "CSV Only",
    description: "Upload your bank’s file and see it in your own words.",
    currency: "usd",
    metadata: { tier: "basic", position: "1" },
    prices: [
      { lookupKey: "csv_only_monthly", unitAmount: 299, interval: "month" },
      { lookupKey: "csv_only_yearly", unitAmount: 2999, interval: "year" },
    ],
  },
  {
    id: "prod_csv_banking",
    name: "CSV + Banking",
    description: "Everything in CSV Only, plus transactions straight from your bank.",
    currency: "usd",
    metadata: { tier: "premium", position: "2" },
    prices: [
      { lookupKey: "csv_banking_monthly", unitAmount: 499, interval: "month" },
      { lookupKey: "csv_banking_yearly", unitAmount: 4999, interval: "year" },
    ],
  },
];
