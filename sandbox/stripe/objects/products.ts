import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  list,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
  url,
} from "../api/params.ts";
import {
  createdParam,
  findObject,
  findOr404,
  insertObject,
  listObjects,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { previousAttributes, recordEvent } from "./events.ts";
import { addPrice, defaultPriceSchema, newPrice } from "./prices.ts";

const createSchema = z.strictObject({
  id: text.optional(),
  name: text,
  description: text.optional(),
  active: boolean.optional(),
  images: list(url).optional(),
  marketing_features: list(z.strictObject({ name: text })).optional(),
  statement_descriptor: text.optional(),
  tax_code: text.optional(),
  unit_label: text.optional(),
  url: url.optional(),
  default_price_data: defaultPriceSchema.optional(),
  metadata,
});

export async function createProduct({ tx, params }: ApiCall): Promise<Stripe.Product> {
  const { id = newId("prod"), metadata, default_price_data, ...fields } = readParams(createSchema, params);
  const product = newProduct(tx, { id, ...fields, metadata: mergeMetadata({}, metadata) });
  const price = default_price_data && newDefaultPrice(tx, id, default_price_data);
  if (price) product.default_price = price.id;
  if (!(await addProduct(tx, product))) {
    throw invalidRequest("Product already exists.", { code: "resource_already_exists", param: "id" });
  }
  if (price) await addPrice(tx, price);
  return product;
}

interface ProductFields
  extends Omit<z.output<typeof createSchema>, "id" | "metadata" | "default_price_data"> {
  id: string;
  metadata: Stripe.Metadata;
}

function newDefaultPrice(
  tx: Transaction,
  product: string,
  { metadata, ...fields }: z.output<typeof defaultPriceSchema>,
): Stripe.Price {
  return newPrice(tx, { id: newId("price"), product, ...fields, metadata: mergeMetadata({}, metadata) });
}

export function newProduct(tx: Transaction, fields: ProductFields): Stripe.Product {
  return {
    id: fields.id,
    object: "product",
    active: fields.active ?? true,
    created: tx.now,
    default_price: null,
    description: fields.description ?? null,
    images: fields.images ?? [],
    livemode: false,
    marketing_features: fields.marketing_features ?? [],
    metadata: fields.metadata,
    name: fields.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: fields.statement_descriptor ?? null,
    tax_code: fields.tax_code ?? null,
    tax_details: null,
    type: "service",
    unit_label: fields.unit_label ?? null,
    updated: tx.now,
    url: fields.url ?? null,
  };
}

/** Stores a new product and records its event; returns false and does nothing when the id is taken. */
export async function addProduct(tx: Transaction, product: Stripe.Product): Promise<boolean> {
  if (!(await insertObject(tx, product))) return false;
  await recordEvent(tx, { type: "product.created", data: { object: product } });
  return true;
}

export async function retrieveProduct({ tx, id }: ApiCall): Promise<Stripe.Product> {
  return findOr404(tx, "product", id);
}

const updateSchema = z.strictObject({
  name: text.optional(),
  description: unsettable(text).optional(),
  active: boolean.optional(),
  default_price: text.optional(),
  images: unsettable(list(url)).optional(),
  marketing_features: unsettable(list(z.strictObject({ name: text }))).optional(),
  statement_descriptor: unsettable(text).optional(),
  tax_code: unsettable(text).optional(),
  unit_label: unsettable(text).optional(),
  url: unsettable(url).optional(),
  metadata,
});

export async function updateProduct({ tx, params, id }: ApiCall): Promise<Stripe.Product> {
  const { metadata, images, marketing_features, ...changes } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "product", id);
  if (changes.default_price) await assertPriceOf(tx, id, changes.default_price);
  const changed = {
    ...before,
    ...changes,
    ...(images !== undefined && { images: images ?? [] }),
    ...(marketing_features !== undefined && { marketing_features: marketing_features ?? [] }),
    metadata: mergeMetadata(before.metadata, metadata),
  };
  if (!previousAttributes(before, changed)) return before;
  const after = { ...changed, updated: tx.now };
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previousAttributes(before, after) };
  await recordEvent(tx, { type: "product.updated", data });
  return after;
}

async function assertPriceOf(tx: Transaction, product: string, id: string): Promise<void> {
  const price = await findObject(tx, "price", id);
  if (!price) throw resourceMissing("price", id, "default_price");
  if (price.product === product) return;
  const message = `The price \`${id}\` does not belong to the product \`${product}\`.`;
  throw invalidRequest(message, { param: "default_price" });
}

const listSchema = z.strictObject({
  ...pageParams,
  active: boolean.optional(),
  created: createdParam,
  ids: list(text).optional(),
});

export async function listProducts({ tx, params }: ApiCall) {
  const { active, ids, ...range } = readParams(listSchema, params);
  return listObjects(tx, "product", "/v1/products", {
    ...range,
    having: { active },
    havingOneOf: ids?.map((id) => ({ id })),
  });
}

/** Only one without prices, and prices are never deleted: https://docs.stripe.com/api/products/delete */
export async function deleteProduct({ tx, id }: ApiCall): Promise<Stripe.DeletedProduct> {
  const product = await lockOr404(tx, "product", id);
  const prices = await listObjects(tx, "price", "", { limit: 1, having: { product: id } });
  if (prices.data.length > 0) {
    throw invalidRequest("This product cannot be deleted because it has one or more user-created prices.");
  }
  await tx.client.query("DELETE FROM sandbox_stripe.objects WHERE id = $1", [id]);
  await recordEvent(tx, { type: "product.deleted", data: { object: product } });
  return { id, object: "product", deleted: true };
}
