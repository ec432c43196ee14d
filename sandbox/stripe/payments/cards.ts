import type Stripe from "stripe";
import { z } from "zod";
import { cardError, invalidRequest, resourceMissing } from "../api/errors.ts";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { existingCustomer } from "../customers.ts";
import { replaceWithEvent } from "../events.ts";
import { findObject, insertObject, lockObject, newId, stripeObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { TEST_CARDS, type TestCard } from "./test-cards.ts";

type Card = Stripe.PaymentMethod;

/** `pm_card_visa` and its like become a card of their own. https://docs.stripe.com/api/payment_methods/attach */
export async function attachPaymentMethod({ tx, params, id }: ApiCall): Promise<Card> {
  const { customer } = readParams(z.strictObject({ customer: text }), params);
  await existingCustomer(tx, customer);
  const stored = await lockObject(tx, "payment_method", id);
  if (stored?.customer === customer) return stored;
  if (stored?.customer)
    throw invalidRequest("The payment method you provided has already been attached to a customer.");
  if (stored) return attachCard(tx, stored, customer);
  const card = TEST_CARDS.find(({ alias }) => alias === id);
  if (!card) throw resourceMissing("PaymentMethod", id);
  // An expiry that is far enough for any test clock.
  const exp_year = new Date(tx.now * 1000).getUTCFullYear() + 8;
  return attachCard(tx, await addCard(tx, { card, exp_month: 12, exp_year }), customer);
}

/** The customer's own card that a parameter names. @throws Stripe's 400 */
export async function cardOfCustomer(tx: Transaction, customer: string, id: string, param: string) {
  const card = await findObject(tx, "payment_method", id);
  if (!card) throw resourceMissing("PaymentMethod", id, param);
  if (card.customer === customer) return card;
  const message = `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`;
  throw invalidRequest(message, { code: "resource_missing", param });
}

interface NewCard {
  card: TestCard;
  exp_month: number;
  exp_year: number;
  billing_details?: { email: string | null; name: string | null };
}

export async function addCard(
  tx: Transaction,
  { card: { number, brand }, exp_month, exp_year, billing_details }: NewCard,
): Promise<Card> {
  const card = stripeObject<Card>({
    id: newId("pm"),
    object: "payment_method",
    billing_details: billing_details ?? { email: null, name: null },
    card: {
      brand: brand ?? "visa",
      country: "US",
      exp_month,
      exp_year,
      fingerprint: `sandbox${number.slice(-9)}`,
      funding: "credit",
      last4: number.slice(-4),
    },
    created: tx.now,
    customer: null,
    metadata: {},
    type: "card",
  });
  await insertObject(tx, card);
  return card;
}

/** Saves a card for a customer, who may use it again. @throws Stripe's 402 for a card that banks refuse */
export async function attachCard(tx: Transaction, card: Card, customer: string): Promise<Card> {
  const { declined } = testCardOf(card);
  if (declined?.at === "attach")
    throw cardError(declined.message, "card_declined", { decline_code: declined.decline_code });
  return replaceWithEvent(tx, "payment_method.attached", { ...card, customer });
}

/** The test card behind a stored one, whose number is not kept. */
export function testCardOf({ card }: Card): TestCard {
  const known = TEST_CARDS.find(({ number }) => card?.fingerprint === `sandbox${number.slice(-9)}`);
  if (!known) throw new Error(`No test card has the fingerprint ${card?.fingerprint}`);
  return known;
}
