import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "../api/params.ts";
import {
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

const createSchema = z.strictObject({
  id: text.optional(),
  name: text,
  description: text.optional(),
  active: boolean.optional(),
  metadata,
});

export async function createProduct({ tx, params }: ApiCall): Promise<Stripe.Product> {
  const { id = newId("prod"), metadata, ...fields } = readParams(createSchema, params);
  const product = newProduct(tx, { id, ...fields, metadata: mergeMetadata({}, metadata) });
  if (!(await addProduct(tx, product))) {
    throw invalidRequest("Product already exists.", { code: "resource_already_exists", param: "id" });
  }
  return product;
}

interface ProductFields extends Omit<z.output<typeof createSchema>, "id" | "metadata"> {
  id: string;
  metadata: Stripe.Metadata;
}

export function newProduct(tx: Transaction, fields: ProductFields): Stripe.Product {
  return {
    id: fields.id,
    object: "product",
    active: fields.active ?? true,
    created: tx.now,
    default_price: null,
    description: fields.description ?? null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: fields.metadata,
    name: fields.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: "service",
    unit_label: null,
    updated: tx.now,
    url: null,
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
  metadata,
});

export async function updateProduct({ tx, params, id }: ApiCall): Promise<Stripe.Product> {
  const { metadata, ...changes } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "product", id);
  const changed = { ...before, ...changes, metadata: mergeMetadata(before.metadata, metadata) };
  if (!previousAttributes(before, changed)) return before;
  const after = { ...changed, updated: tx.now };
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previousAttributes(before, after) };
  await recordEvent(tx, { type: "product.updated", data });
  return after;
}

const listSchema = z.strictObject({ ...pageParams, active: boolean.optional() });

export async function listProducts({ tx, params }: ApiCall) {
  const { active, ...range } = readParams(listSchema, params);
  return listObjects(tx, "product", "/v1/products", { ...range, having: { active } });
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
