import { randomBytes } from "node:crypto";
import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "./api/errors.ts";
import {
  type ApiCall,
  email,
  integerBetween,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "./api/params.ts";
import { expireSessionsOf } from "./checkout/sessions.ts";
import { addObject, recordEvent, saveChanges } from "./events.ts";
import { cardOfCustomer } from "./payments/cards.ts";
import {
  findObject,
  findOr404,
  insertObject,
  lockOr404,
  newId,
  replaceObject,
  stripeObject,
} from "./store.ts";
import { cancelSubscriptionsOf } from "./subscriptions/end.ts";
import type { Transaction } from "./transaction.ts";

const part = text.nullable().default(null);
/** What is not given is null: https://docs.stripe.com/api/customers/create#create_customer-address */
export const addressParam = z.strictObject({
  city: part,
  country: part,
  line1: part,
  line2: part,
  postal_code: part,
  state: part,
});

const fields = {
  address: unsettable(addressParam).optional(),
  email: unsettable(email).optional(),
  name: unsettable(text).optional(),
  metadata,
};
const createSchema = z.strictObject({ ...fields, test_clock: text.optional() });
const updateSchema = z.strictObject({
  ...fields,
  invoice_settings: z.strictObject({ default_payment_method: unsettable(text).optional() }).optional(),
});

export async function createCustomer({ tx, params }: ApiCall): Promise<Stripe.Customer> {
  const {
    metadata,
    test_clock,
    address = null,
    email = null,
    name = null,
  } = readParams(createSchema, params);
  const clock = test_clock && (await findObject(tx, "test_helpers.test_clock", test_clock));
  if (test_clock && !clock) throw resourceMissing("test_clock", test_clock, "test_clock");
  const now = clock ? clock.frozen_time : tx.now;
  const customer = stripeObject<Stripe.Customer>({
    id: newId("cus"),
    object: "customer",
    address,
    balance: 0,
    created: now,
    currency: null,
    email,
    invoice_prefix: randomBytes(4).toString("hex").toUpperCase(),
    invoice_settings: { default_payment_method: null },
    metadata: mergeMetadata({}, metadata),
    name,
    next_invoice_sequence: 1,
    test_clock: test_clock ?? null,
  });
  await addObject({ ...tx, now }, "customer.created", customer);
  return customer;
}

export async function updateCustomer({ tx, params, id }: ApiCall): Promise<Stripe.Customer> {
  const { metadata, invoice_settings, ...changes } = readParams(updateSchema, params);
  const before = await lockCustomer(tx, id);
  const card = invoice_settings?.default_payment_method;
  if (card) await cardOfCustomer(tx, id, card, "invoice_settings[default_payment_method]");
  return changeCustomer(tx, before, {
    ...changes,
    ...(card !== undefined && {
      invoice_settings: { ...before.invoice_settings, default_payment_method: card },
    }),
    metadata: mergeMetadata(before.metadata, metadata),
  });
}

export async function changeCustomer(
  tx: Transaction,
  before: Stripe.Customer,
  changes: Partial<Stripe.Customer>,
): Promise<Stripe.Customer> {
  return saveChanges(tx, "customer.updated", before, { ...before, ...changes });
}

const balanceSchema = z.strictObject({
  amount: integerBetween(-99_999_999, 99_999_999),
  currency: text,
  description: text.optional(),
  metadata,
});

/** Changes what a customer has in credit (negative) or owes: https://docs.stripe.com/api/customer_balance_transactions/create */
export async function createBalanceTransaction({
  tx,
  params,
  id,
}: ApiCall): Promise<Stripe.CustomerBalanceTransaction> {
  const fields = readParams(balanceSchema, params);
  const { amount, description = null } = fields;
  const currency = fields.currency.toLowerCase();
  const before = await lockCustomer(tx, id);
  if (before.currency && before.currency !== currency)
    throw invalidRequest(`The customer's currency is ${before.currency}.`, { param: "currency" });
  const after = await changeCustomer(tx, before, { balance: before.balance + amount, currency });
  const transaction = stripeObject<Stripe.CustomerBalanceTransaction>({
    id: newId("cbtxn"),
    object: "customer_balance_transaction",
    type: "adjustment",
    amount,
    currency,
    description,
    created: tx.now,
    customer: id,
    ending_balance: after.balance,
    metadata: mergeMetadata({}, fields.metadata),
  });
  await insertObject(tx, transaction);
  return transaction;
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
  await recordEvent(tx, "customer.deleted", customer);
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
