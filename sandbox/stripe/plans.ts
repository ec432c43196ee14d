import { addPrice, newPrice } from "./objects/prices.ts";
import { addProduct, newProduct } from "./objects/products.ts";
import type { Transaction } from "./transaction.ts";

/** The product's plans. Amounts in US cents. */
const PLANS = [
  {
    id: "prod_csv_only",
    name: "CSV Only",
    description: "Upload your bank’s file and see it in your own words.",
    metadata: { tier: "basic", position: "1" },
    prices: [
      { id: "price_csv_only_monthly", unit_amount: 299, interval: "month" },
      { id: "price_csv_only_yearly", unit_amount: 2999, interval: "year" },
    ],
  },
  {
    id: "prod_csv_banking",
    name: "CSV + Banking",
    description: "Everything in CSV Only, plus transactions straight from your bank.",
    metadata: { tier: "premium", position: "2" },
    prices: [
      { id: "price_csv_banking_monthly", unit_amount: 499, interval: "month" },
      { id: "price_csv_banking_yearly", unit_amount: 4999, interval: "year" },
    ],
  },
] as const;

/** Adds the plans that are missing, with their events. Existing ones stay as they are, even if edited. */
export async function seedPlans(tx: Transaction): Promise<void> {
  for (const { prices, ...product } of PLANS) {
    await addProduct(tx, newProduct(tx, product));
    for (const { id, unit_amount, interval } of prices) {
      const fields = { id, product: product.id, currency: "usd", unit_amount, recurring: { interval } };
      await addPrice(tx, newPrice(tx, { ...fields, metadata: {} }));
    }
  }
}
