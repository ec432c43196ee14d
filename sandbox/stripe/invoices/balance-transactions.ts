import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, integer, readParams, text } from "../api/params.ts";
import { changeCustomer, existingCustomer, lockCustomer } from "../objects/customers.ts";
import { listObjects, pageParams } from "../store.ts";

const createSchema = z.strictObject({ amount: integer, currency: text });

/** Gives the customer credit, by a negative amount, or asks for more: https://docs.stripe.com/billing/customer/balance */
export async function createBalanceTransaction({ tx, params, id }: ApiCall) {
  const { amount, currency } = readParams(createSchema, params);
  const customer = await lockCustomer(tx, id);
  if (amount === 0) throw invalidRequest("Invalid non-zero integer", { param: "amount" });
  if (customer.currency && customer.currency !== currency.toLowerCase()) {
    const message = `The customer's balance is in ${customer.currency}, and cannot be changed in ${currency}.`;
    throw invalidRequest(message, { param: "currency" });
  }
  await changeCustomer(tx, customer, { balance: customer.balance + amount });
  const newest = { limit: 1, having: { customer: id } };
  const { data } = await listObjects(tx, "customer_balance_transaction", "", newest);
  return data[0] as Stripe.CustomerBalanceTransaction;
}

const listSchema = z.strictObject(pageParams);

export async function listBalanceTransactions({ tx, params, id }: ApiCall) {
  const range = readParams(listSchema, params);
  await existingCustomer(tx, id);
  const url = `/v1/customers/${id}/balance_transactions`;
  return listObjects(tx, "customer_balance_transaction", url, { ...range, having: { customer: id } });
}
