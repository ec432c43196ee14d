import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import {
  type ApiCall,
  address,
  email,
  integer,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import { findOr404, listObjects, lockOr404, pageParams, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { attachCard, detachCard, payableCard } from "./attachment.ts";
import { checkedCard } from "./card-number.ts";
import { addCard } from "./new-payment-method.ts";

const billingDetails = z
  .strictObject({
    address: unsettable(address).optional(),
    email: unsettable(email).optional(),
    name: unsettable(text).optional(),
    phone: unsettable(text).optional(),
  })
  .optional();

const createSchema = z.strictObject({
  type: z.enum(["card"]),
  card: z.union([
    z.strictObject({ token: text }),
    z.strictObject({ number: text, exp_month: integer, exp_year: integer, cvc: text.optional() }),
  ]),
  billing_details: billingDetails,
  metadata,
});

export async function createPaymentMethod({ tx, params }: ApiCall): Promise<Stripe.PaymentMethod> {
  const { card, billing_details, metadata } = readParams(createSchema, params);
  return addCard(tx, {
    ...checkedCard(tx, card),
    ...(billing_details && { billing_details }),
    metadata: mergeMetadata({}, metadata),
  });
}

export async function retrievePaymentMethod({ tx, id }: ApiCall): Promise<Stripe.PaymentMethod> {
  return findOr404(tx, "payment_method", id);
}

const listSchema = z.strictObject({ ...pageParams, customer: text.optional(), type: text.optional() });

export async function listPaymentMethods({ tx, params }: ApiCall) {
  const { customer, type, ...range } = readParams(listSchema, params);
  if (customer === undefined) {
    throw invalidRequest("Missing required param: customer.", { param: "customer" });
  }
  await existingCustomer(tx, customer);
  const having = { customer, type };
  return listObjects(tx, "payment_method", "/v1/payment_methods", { ...range, having });
}

const listOfCustomerSchema = z.strictObject({ ...pageParams, type: text.optional() });

export async function listPaymentMethodsOfCustomer({ tx, params, id }: ApiCall) {
  const { type, ...range } = readParams(listOfCustomerSchema, params);
  const customer = await findOr404(tx, "customer", id);
  if (customer.deleted) throw resourceMissing("customer", id);
  const url = `/v1/customers/${id}/payment_methods`;
  return listObjects(tx, "payment_method", url, { ...range, having: { customer: id, type } });
}

const updateSchema = z.strictObject({
  card: z.strictObject({ exp_month: integer.optional(), exp_year: integer.optional() }).optional(),
  billing_details: billingDetails,
  allow_redisplay: z.enum(["always", "limited", "unspecified"]).optional(),
  metadata,
});

export async function updatePaymentMethod({ tx, params, id }: ApiCall): Promise<Stripe.PaymentMethod> {
  const { card, billing_details, metadata, ...changes } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "payment_method", id);
  if (!before.customer) {
    throw invalidRequest("You must save this PaymentMethod to a customer before you can update it.");
  }
  const after: Stripe.PaymentMethod = {
    ...before,
    ...changes,
    billing_details: { ...before.billing_details, ...billing_details },
    ...(before.card && { card: { ...before.card, ...card } }),
    metadata: mergeMetadata(before.metadata ?? {}, metadata),
  };
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "payment_method.updated", data });
  return after;
}

const attachSchema = z.strictObject({ customer: text });

/** `pm_card_visa` and its like become a card of their own. https://docs.stripe.com/api/payment_methods/attach */
export async function attachPaymentMethod({ tx, params, id }: ApiCall) {
  const { customer } = readParams(attachSchema, params);
  await existingCustomer(tx, customer);
  const paymentMethod = await payableCard(tx, id, "id");
  if (paymentMethod.customer === customer) return paymentMethod;
  if (paymentMethod.customer) {
    throw invalidRequest("The payment method you provided has already been attached to a customer.");
  }
  return attachCard(tx, paymentMethod, customer);
}

export async function detachPaymentMethod({ tx, id }: ApiCall): Promise<Stripe.PaymentMethod> {
  const paymentMethod = await lockOr404(tx, "payment_method", id);
  if (!paymentMethod.customer) {
    throw invalidRequest(
      "The payment method you provided is not attached to a customer so detachment is impossible.",
    );
  }
  return detachCard(tx, paymentMethod);
}

/** The customer's own card that a parameter names. @throws Stripe's 400 */
export async function cardOfCustomer(
  tx: Transaction,
  customer: string,
  id: string,
  param: string,
): Promise<Stripe.PaymentMethod> {
  const paymentMethod = await payableCard(tx, id, param);
  if (paymentMethod.customer === customer) return paymentMethod;
  const message = `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`;
  throw invalidRequest(message, { code: "resource_missing", param });
}
