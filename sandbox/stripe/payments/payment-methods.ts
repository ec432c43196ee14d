import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import type { Transaction } from "../transaction.ts";
import { attachCard, payableCard } from "./attachment.ts";

const attachSchema = z.strictObject({ customer: text });

/** `pm_card_visa` and its like become a card of their own. https://docs.stripe.com/api/payment_methods/attach */
export async function attachPaymentMethod({ tx, params, id }: ApiCall): Promise<Stripe.PaymentMethod> {
  const { customer } = readParams(attachSchema, params);
  await existingCustomer(tx, customer);
  const paymentMethod = await payableCard(tx, id, "id");
  if (paymentMethod.customer === customer) return paymentMethod;
  if (paymentMethod.customer) {
    throw invalidRequest("The payment method you provided has already been attached to a customer.");
  }
  return attachCard(tx, paymentMethod, customer);
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
