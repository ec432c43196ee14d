import Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "./api/errors.ts";
import {
  type ApiCall,
  boolean,
  integerBetween,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "./api/params.ts";
import { addObject, recordEvent, saveChanges } from "./events.ts";
import { findAll, findObject, lockOr404, newId, stripeObject } from "./store.ts";
import type { Transaction } from "./transaction.ts";

export interface Plan {
  id: string;
  name: string;
  description: string;
  currency: string;
  metadata: Record<string, string>;
  /** In minor units of the currency. A price's id is made from its lookup key: `price_csv_only_monthly` */
  prices: readonly { lookupKey: string; unitAmount: number; interval: "month" | "year" }[];
}

/** Adds missing plans, with their events. Existing ones stay unchanged, even if edited. */
export async function seedPlans(tx: Transaction, plans: readonly Plan[]): Promise<void> {
  for (const { id, name, description, currency, metadata, prices } of plans) {
    await addObject(tx, "product.created", newProduct(tx, { id, name, description, metadata }));
    for (const { lookupKey: lookup_key, unitAmount: unit_amount, interval } of prices) {
      const terms = { product: id, currency, unit_amount, recurring: { interval }, lookup_key };
      await addObject(tx, "price.created", newPrice(tx, `price_${lookup_key}`, terms));
    }
  }
}

const productCreation = z.strictObject({
  id: text.optional(),
  name: text,
  description: text.optional(),
  active: boolean.optional(),
  metadata,
});

export async function createProduct({ tx, params }: ApiCall): Promise<Stripe.Product> {
  const product = newProduct(tx, readParams(productCreation, params));
  if (await addObject(tx, "product.created", product)) return product;
  throw invalidRequest("Product already exists.", { code: "resource_already_exists", param: "id" });
}

function newProduct(tx: Transaction, fields: z.output<typeof productCreation>): Stripe.Product {
  return stripeObject<Stripe.Product>({
    id: fields.id ?? newId("prod"),
    object: "product",
    active: fields.active ?? true,
    created: tx.now,
    description: fields.description ?? null,
    metadata: mergeMetadata({}, fields.metadata),
    name: fields.name,
    type: "service",
    updated: tx.now,
  });
}

const productUpdate = z.strictObject({
  name: text.optional(),
  description: unsettable(text).optional(),
  active: boolean.optional(),
  metadata,
});

export async function updateProduct({ tx, params, id }: ApiCall): Promise<Stripe.Product> {
  const { metadata, ...changes } = readParams(productUpdate, params);
  const before = await lockOr404(tx, "product", id);
  const after = { ...before, ...changes, metadata: mergeMetadata(before.metadata, metadata) };
  return saveChanges(tx, "product.updated", before, after);
}

/** Only one without prices, and prices are never deleted: https://docs.stripe.com/api/products/delete */
export async function deleteProduct({ tx, id }: ApiCall): Promise<Stripe.DeletedProduct> {
  const product = await lockOr404(tx, "product", id);
  if ((await findAll(tx, "price", { product: id })).length > 0) {
    throw invalidRequest("This product cannot be deleted because it has one or more user-created prices.");
  }
  await tx.client.query("DELETE FROM sandbox_stripe.objects WHERE id = $1", [id]);
  await recordEvent(tx, "product.deleted", product);
  return { id, object: "product", deleted: true };
}

const priceCreation = z.strictObject({
  product: text,
  currency: text,
  unit_amount: integerBetween(0, 99_999_999),
  recurring: z
    .strictObject({
      interval: z.enum(["day", "week", "month", "year"]),
      interval_count: integerBetween(1, 156).optional(),
    })
    .optional(),
  lookup_key: text.optional(),
  active: boolean.optional(),
  metadata,
});

export async function createPrice({ tx, params }: ApiCall): Promise<Stripe.Price> {
  const fields = readParams(priceCreation, params);
  if (!(await findObject(tx, "product", fields.product))) {
    throw resourceMissing("product", fields.product, "product");
  }
  await assertLookupKeyIsFree(tx, fields.lookup_key);
  const price = newPrice(tx, newId("price"), fields);
  await addObject(tx, "price.created", price);
  return price;
}

function newPrice(tx: Transaction, id: string, fields: z.output<typeof priceCreation>): Stripe.Price {
  const { recurring } = fields;
  return stripeObject<Stripe.Price>({
    id,
    object: "price",
    active: fields.active ?? true,
    created: tx.now,
    currency: fields.currency.toLowerCase(),
    lookup_key: fields.lookup_key ?? null,
    metadata: mergeMetadata({}, fields.metadata),
    product: fields.product,
    recurring: recurring
      ? {
          interval: recurring.interval,
          interval_count: recurring.interval_count ?? 1,
          usage_type: "licensed",
        }
      : null,
    type: recurring ? "recurring" : "one_time",
    unit_amount: fields.unit_amount,
    unit_amount_decimal: Stripe.Decimal.from(fields.unit_amount),
  });
}

const priceUpdate = z.strictObject({ active: boolean.optional(), lookup_key: unsettable(text).optional() });

export async function updatePrice({ tx, params, id }: ApiCall): Promise<Stripe.Price> {
  const changes = readParams(priceUpdate, params);
  const before = await lockOr404(tx, "price", id);
  if (changes.lookup_key !== before.lookup_key) await assertLookupKeyIsFree(tx, changes.lookup_key);
  return saveChanges(tx, "price.updated", before, { ...before, ...changes });
}

/** The unique index on lookup_key is what holds. @throws Stripe's 400 when another price has it */
async function assertLookupKeyIsFree(tx: Transaction, key: string | null | undefined): Promise<void> {
  if (!key) return;
  const [owner] = await findAll(tx, "price", { lookup_key: key });
  if (owner)
    throw invalidRequest(`A price (\`${owner.id}\`) already uses that lookup key.`, { param: "lookup_key" });
}
