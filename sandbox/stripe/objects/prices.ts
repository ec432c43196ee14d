import Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  integerBetween,
  list,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "../api/params.ts";
import {
  findObject,
  insertObject,
  listObjects,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { previousAttributes, recordEvent } from "./events.ts";

const intervalSchema = z.enum(["day", "week", "month", "year"]);

const currencySchema = text.refine((code) => /^[a-z]{3}$/i.test(code), { error: "Invalid currency" });

const createSchema = z.strictObject({
  product: text,
  currency: currencySchema,
  unit_amount: integerBetween(0, 99_999_999),
  recurring: z
    .strictObject({ interval: intervalSchema, interval_count: integerBetween(1, 156).optional() })
    .optional(),
  lookup_key: text.optional(),
  active: boolean.optional(),
  metadata,
});

export async function createPrice({ tx, params }: ApiCall): Promise<Stripe.Price> {
  const { metadata, ...fields } = readParams(createSchema, params);
  if (!(await findObject(tx, "product", fields.product))) {
    throw resourceMissing("product", fields.product, "product");
  }
  await assertLookupKeyIsFree(tx, fields.lookup_key);
  const price = newPrice(tx, { id: newId("price"), ...fields, metadata: mergeMetadata({}, metadata) });
  await addPrice(tx, price);
  return price;
}

interface PriceFields extends Omit<z.output<typeof createSchema>, "metadata"> {
  id: string;
  metadata: Stripe.Metadata;
}

/** `unit_amount` is in the currency's minor unit: cents. */
export function newPrice(tx: Transaction, fields: PriceFields): Stripe.Price {
  const { recurring } = fields;
  return {
    id: fields.id,
    object: "price",
    active: fields.active ?? true,
    billing_scheme: "per_unit",
    created: tx.now,
    currency: fields.currency.toLowerCase(),
    custom_unit_amount: null,
    livemode: false,
    lookup_key: fields.lookup_key ?? null,
    metadata: fields.metadata,
    nickname: null,
    product: fields.product,
    recurring: recurring
      ? {
          interval: recurring.interval,
          interval_count: recurring.interval_count ?? 1,
          meter: null,
          trial_period_days: null,
          usage_type: "licensed",
        }
      : null,
    tax_behavior: "unspecified",
    tiers_mode: null,
    transform_quantity: null,
    type: recurring ? "recurring" : "one_time",
    unit_amount: fields.unit_amount,
    unit_amount_decimal: Stripe.Decimal.from(fields.unit_amount),
  };
}

/** Stores a new price and records its event; does nothing when the id is taken. */
export async function addPrice(tx: Transaction, price: Stripe.Price): Promise<void> {
  if (!(await insertObject(tx, price))) return;
  await recordEvent(tx, { type: "price.created", data: { object: price } });
}

const updateSchema = z.strictObject({
  active: boolean.optional(),
  lookup_key: unsettable(text).optional(),
  metadata,
});

export async function updatePrice({ tx, params, id }: ApiCall): Promise<Stripe.Price> {
  const { metadata, ...changes } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "price", id);
  const after = { ...before, ...changes, metadata: mergeMetadata(before.metadata, metadata) };
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  if (previous.lookup_key !== undefined) await assertLookupKeyIsFree(tx, after.lookup_key);
  await replaceObject(tx, after);
  await recordEvent(tx, { type: "price.updated", data: { object: after, previous_attributes: previous } });
  return after;
}

const listSchema = z.strictObject({
  ...pageParams,
  active: boolean.optional(),
  currency: currencySchema.optional(),
  lookup_keys: list(text).optional(),
  product: text.optional(),
});

export async function listPrices({ tx, params }: ApiCall) {
  const { active, currency, lookup_keys, product, ...range } = readParams(listSchema, params);
  return listObjects(tx, "price", "/v1/prices", {
    ...range,
    having: { active, currency: currency?.toLowerCase(), product },
    havingOneOf: lookup_keys?.map((key) => ({ lookup_key: key })),
  });
}

/** The unique index on lookup_key is what holds. @throws Stripe's 400 when another price has it */
async function assertLookupKeyIsFree(tx: Transaction, key: string | null | undefined): Promise<void> {
  if (!key) return;
  const { data } = await listObjects(tx, "price", "", { limit: 1, having: { lookup_key: key } });
  const [owner] = data;
  if (owner)
    throw invalidRequest(`A price (\`${owner.id}\`) already uses that lookup key.`, { param: "lookup_key" });
}
