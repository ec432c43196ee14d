import { metadataOf, SPEC_CURRENCY, SPEC_PLANS } from "../../app/billing/spec-plans.ts";
import { addPrice, newPrice } from "./objects/prices.ts";
import { addProduct, newProduct } from "./objects/products.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Adds the product's plans that are missing, with their events. Existing ones stay as they are, even if edited. A price's id
 * is made from its lookup key: `price_csv_only_monthly`.
 */
export async function seedPlans(tx: Transaction): Promise<void> {
  for (const plan of SPEC_PLANS) {
    const { id, name, description, prices } = plan;
    await addProduct(tx, newProduct(tx, { id, name, description, metadata: metadataOf(plan) }));
    for (const { lookupKey, unitAmount, interval } of prices) {
      const price = newPrice(tx, {
        id: `price_${lookupKey}`,
        product: id,
        currency: SPEC_CURRENCY,
        unit_amount: unitAmount,
        recurring: { interval },
        lookup_key: lookupKey,
        metadata: {},
      });
      await addPrice(tx, price);
    }
  }
}
