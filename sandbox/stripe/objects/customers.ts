import { randomBytes } from "node:crypto";
import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "../api/errors.ts";
import { type ApiCall, email, mergeMetadata, metadata, readParams, text, unsettable } from "../api/params.ts";
import { expireSessionsOf } from "../checkout/expiry.ts";
import {
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
import { cancelSubscriptionsOf } from "./subscriptions.ts";

const fieldsSchema = z.strictObject({
  email: unsettable(email).optional(),
  name: unsettable(text).optional(),
  metadata,
});

export async function createCustomer({ tx, params }: ApiCall): Promise<Stripe.Customer> {
  const { email = null, name = null, metadata } = readParams(fieldsSchema, params);
  const customer: Stripe.Customer = {
    id: newId("cus"),
    object: "customer",
    address: null,
    balance: 0,
    created: tx.now,
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email,
    invoice_prefix: randomBytes(4).toString("hex").toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: mergeMetadata({}, metadata),
    name,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  };
  await insertObject(tx, customer);
  await recordEvent(tx, { type: "customer.created", data: { object: customer } });
  return customer;
}

/** A deleted customer is still found, as `{id, object, deleted: true}`. */
export async function retrieveCustomer({
  tx,
  id,
}: ApiCall): Promise<Stripe.Customer | Stripe.DeletedCustomer> {
  return findOr404(tx, "customer", id);
}

export async function updateCustomer({ tx, params, id }: ApiCall): Promise<Stripe.Customer> {
  const { metadata, ...changes } = readParams(fieldsSchema, params);
  const before = await lockCustomer(tx, id);
  const after = { ...before, ...changes, metadata: mergeMetadata(before.metadata, metadata) };
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "customer.updated", data });
  return after;
}

const listSchema = z.strictObject({ ...pageParams, email: text.optional() });

export async function listCustomers({ tx, params }: ApiCall) {
  const { email, ...range } = readParams(listSchema, params);
  return listObjects(tx, "customer", "/v1/customers", {
    ...range,
    having: { email },
    except: { deleted: true },
  });
}

/** Also cancels the customer's subscriptions immediately: https://docs.stripe.com/api/customers/delete */
export async function deleteCustomer({ tx, id }: ApiCall): Promise<Stripe.DeletedCustomer> {
  const customer = await lockCustomer(tx, id);
  await expireSessionsOf(tx, id);
  await cancelSubscriptionsOf(tx, id);
  const deleted: Stripe.DeletedCustomer = { id, object: "customer", deleted: true };
  await replaceObject(tx, deleted);
  await recordEvent(tx, { type: "customer.deleted", data: { object: customer } });
  return deleted;
}

/** The customer that a `customer` parameter names; a missing or deleted one throws Stripe's 400. */
export async function existingCustomer(tx: Transaction, id: string): Promise<Stripe.Customer> {
  const customer = await findObject(tx, "customer", id);
  if (!customer || customer.deleted) throw resourceMissing("customer", id, "customer");
  return customer;
}

async function lockCustomer(tx: Transaction, id: string): Promise<Stripe.Customer> {
  const customer = await lockOr404(tx, "customer", id);
  if (customer.deleted) throw resourceMissing("customer", id);
  return customer;
}
