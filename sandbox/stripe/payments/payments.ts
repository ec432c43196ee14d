import type Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, integerBetween, readParams, text } from "../api/params.ts";
import { existingCustomer } from "../customers.ts";
import { addObject, recordEvent, replaceWithEvent } from "../events.ts";
import { insertObject, newId, stripeObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { testCardOf } from "./cards.ts";
import { openDispute } from "./disputes.ts";

type Intent = Stripe.PaymentIntent;

const createSchema = z.strictObject({
  amount: integerBetween(1, 99_999_999),
  currency: text,
  customer: text,
});

export async function createPaymentIntent({ tx, params }: ApiCall): Promise<Intent> {
  const payment = readParams(createSchema, params);
  await existingCustomer(tx, payment.customer);
  return addPaymentIntent(tx, { ...payment, description: null });
}

interface NewPayment {
  amount: number;
  currency: string;
  customer: string;
  description: string | null;
}

/** Stores a payment that has no card yet, and records its event. */
export async function addPaymentIntent(tx: Transaction, payment: NewPayment): Promise<Intent> {
  const id = newId("pi");
  const intent = stripeObject<Intent>({
    id,
    object: "payment_intent",
    ...payment,
    amount_received: 0,
    created: tx.now,
    last_payment_error: null,
    latest_charge: null,
    metadata: {},
    next_action: null,
    payment_method: null,
    status: "requires_payment_method",
  });
  await addObject(tx, "payment_intent.created", intent);
  return intent;
}

export type PaymentOutcome = "paid" | "failed" | "requires_action";

interface Attempt {
  intent: Intent;
  paymentMethod: Stripe.PaymentMethod;
  /** The cardholder has just confirmed this payment at their bank, or refused to. */
  authentication: "succeeded" | "failed" | undefined;
}

/** Charges a card and records the outcome. The intent must be locked, or new. */
export async function attemptPayment(
  tx: Transaction,
  { intent, paymentMethod, authentication }: Attempt,
): Promise<PaymentOutcome> {
  if (authentication === "failed") {
    const code = "payment_intent_authentication_failure";
    const message =
      "We are unable to authenticate your payment method. Please choose a different payment method and try again.";
    const error = { code, message, payment_method: paymentMethod, type: "invalid_request_error" } as const;
    await failIntent(tx, intent, { last_payment_error: error });
    return "failed";
  }
  const { declined: decline, needsAuthentication, isDisputed } = testCardOf(paymentMethod);
  if (!authentication && needsAuthentication) {
    const url = `${tx.publicOrigin}/sandbox/stripe/authenticate/${intent.id}`;
    await replaceWithEvent(tx, "payment_intent.requires_action", {
      ...intent,
      last_payment_error: null,
      next_action: { redirect_to_url: { return_url: null, url }, type: "redirect_to_url" },
      payment_method: paymentMethod.id,
      status: "requires_action",
    });
    return "requires_action";
  }
  const charge = stripeObject<Stripe.Charge>({
    id: newId("ch"),
    object: "charge",
    amount: intent.amount,
    amount_captured: decline ? 0 : intent.amount,
    amount_refunded: 0,
    billing_details: paymentMethod.billing_details,
    created: tx.now,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    metadata: intent.metadata,
    paid: !decline,
    payment_intent: intent.id,
    payment_method: paymentMethod.id,
    payment_method_details: { card: paymentMethod.card as object, type: "card" },
    refunded: false,
    status: decline ? "failed" : "succeeded",
  });
  await insertObject(tx, charge);
  if (decline) {
    await recordEvent(tx, "charge.failed", charge);
    const { decline_code, message } = decline;
    const cause = { charge: charge.id, decline_code, message, payment_method: paymentMethod };
    await failIntent(tx, intent, {
      last_payment_error: { ...cause, code: "card_declined", type: "card_error" },
      latest_charge: charge.id,
    });
    return "failed";
  }
  await recordEvent(tx, "charge.succeeded", charge);
  await replaceWithEvent(tx, "payment_intent.succeeded", {
    ...intent,
    amount_received: intent.amount,
    last_payment_error: null,
    latest_charge: charge.id,
    next_action: null,
    payment_method: paymentMethod.id,
    status: "succeeded",
  });
  if (isDisputed) await openDispute(tx, charge);
  return "paid";
}

async function failIntent(tx: Transaction, intent: Intent, failure: Partial<Intent>): Promise<void> {
  await replaceWithEvent(tx, "payment_intent.payment_failed", {
    ...intent,
    ...failure,
    next_action: null,
    payment_method: null,
    status: "requires_payment_method",
  });
}
