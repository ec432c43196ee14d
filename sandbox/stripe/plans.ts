import { addPrice, newPrice } from "./objects/prices.ts";
import { addProduct, newProduct } from "./objects/products.ts";
import type { Transaction } from "./transaction.ts";

/** A product with its prices. */
export interface Plan {
  /** The product's id. */
  id: string;
  name: string;
  description: string;
  currency: string;
  metadata: Record<string, string>;
  /** In minor units of the currency. A price's id is made from its lookup key: `price_csv_only_monthly` */
  prices: readonly { lookupKey: string; unitAmount: number; interval: "month" | "year" }[];
}

/** Adds the plans that are missing, with their events. Existing ones stay as they are, even if edited. */
export async function seedPlans(tx: Transaction, plans: readonly Plan[]): Promise<void> {
  for (const { id, name, description, currency, metadata, prices } of plans) {
    await addProduct(tx, newProduct(tx, { id, name, description, metadata }));
    for (const { lookupKey, unitAmount, interval } of prices) {
      const price = newPrice(tx, {
        id: `price_${lookupKey}`,
        product: id,
        currency,
        unit_amount: unitAmount,
        recurring: { interval },
        lookup_key: lookupKey,
        metadata: {},
      });
      await addPrice(tx, price);
    }
  }
}
