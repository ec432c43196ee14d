import { randomBytes } from "node:crypto";
import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "../api/errors.ts";
import {
  type ApiCall,
  address,
  email,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "../api/params.ts";
import { expireSessionsOf } from "../checkout/expiry.ts";
import { onClock } from "../clocks/clock-time.ts";
import { cardOfCustomer } from "../payments/payment-methods.ts";
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
import { cancelSubscriptionsOf } from "../subscriptions/cancel.ts";
import type { Transaction } from "../transaction.ts";
import { previousAttributes, recordEvent } from "./events.ts";

const fields = {
  address: unsettable(address).optional(),
  email: unsettable(email).optional(),
  name: unsettable(text).optional(),
  phone: unsettable(text).optional(),
  metadata,
};
const createSchema = z.strictObject({ ...fields, test_clock: text.optional() });
const updateSchema = z.strictObject({
  ...fields,
  invoice_settings: z.strictObject({ default_payment_method: unsettable(text).optional() }).optional(),
});

export async function createCustomer(call: ApiCall): Promise<Stripe.Customer> {
  const { metadata, test_clock, ...fields } = readParams(createSchema, call.params);
  const tx = test_clock === undefined ? call.tx : await onClock(call.tx, test_clock);
  const customer: Stripe.Customer = {
    ...newCustomer(tx),
    ...fields,
    test_clock: test_clock ?? null,
    metadata: mergeMetadata({}, metadata),
  };
  await insertObject(tx, customer);
  await recordEvent(tx, { type: "customer.created", data: { object: customer } });
  return customer;
}

function newCustomer(tx: Transaction): Stripe.Customer {
  return {
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
    email: null,
    invoice_prefix: randomBytes(4).toString("hex").toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  };
}

/** A deleted customer is still found, as `{id, object, deleted: true}`. */
export async function retrieveCustomer({
  tx,
  id,
}: ApiCall): Promise<Stripe.Customer | Stripe.DeletedCustomer> {
  return findOr404(tx, "customer", id);
}

export async function updateCustomer({ tx, params, id }: ApiCall): Promise<Stripe.Customer> {
  return changeCustomer(tx, await lockCustomer(tx, id), readParams(updateSchema, params));
}

/** Changes a customer that is locked, or new, and records the event if anything changed. */
export async function changeCustomer(
  tx: Transaction,
  before: Stripe.Customer,
  { metadata, invoice_settings, ...changes }: z.output<typeof updateSchema>,
): Promise<Stripe.Customer> {
  const card = invoice_settings?.default_payment_method;
  const default_payment_method =
    card && (await cardOfCustomer(tx, before.id, card, "invoice_settings[default_payment_method]")).id;
  const after: Stripe.Customer = {
    ...before,
    ...changes,
    invoice_settings: {
      ...before.invoice_settings,
      ...(card !== undefined && { default_payment_method: default_payment_method ?? null }),
    },
    metadata: mergeMetadata(before.metadata, metadata),
  };
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "customer.updated", data });
  return after;
}

const listSchema = z.strictObject({
  ...pageParams,
  email: text.optional(),
});

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
  const found = await findOr404(tx, "customer", id);
  if (found.deleted) throw resourceMissing("customer", id);
  await expireSessionsOf(tx, id);
  await cancelSubscriptionsOf(tx, id);
  const customer = await lockCustomer(tx, id);
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

/** The customer a URL names, locked. @throws Stripe's 404, also for a deleted one */
export async function lockCustomer(tx: Transaction, id: string): Promise<Stripe.Customer> {
  const customer = await lockOr404(tx, "customer", id);
  if (customer.deleted) throw resourceMissing("customer", id);
  return customer;
}
