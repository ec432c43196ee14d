import type Stripe from "stripe";
import { recordEvent } from "../objects/events.ts";
import { insertObject, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { needsAuthentication, refusalToPay, rememberAuthentication, testCardOf } from "./card-check.ts";
import { openDispute } from "./dispute.ts";
import { newCharge } from "./new-charge.ts";
import type { Decline } from "./test-cards.ts";

export type PaymentOutcome = "paid" | "failed" | "requires_action";

interface Attempt {
  intent: Stripe.PaymentIntent;
  paymentMethod: Stripe.PaymentMethod;
  /** The cardholder has just confirmed this payment at their bank, or refused to. */
  authentication?: "succeeded" | "failed";
}

/** Tries to take a payment from a card, and records what came of it. The intent must be locked, or new. */
export async function attemptPayment(tx: Transaction, attempt: Attempt): Promise<PaymentOutcome> {
  const { paymentMethod, authentication } = attempt;
  if (authentication === "failed") {
    await failAuthentication(tx, attempt);
    return "failed";
  }
  if (!authentication && (await needsAuthentication(tx, paymentMethod))) {
    await requireAction(tx, attempt);
    return "requires_action";
  }
  if (authentication) await rememberAuthentication(tx, paymentMethod.id);
  const decline = refusalToPay(tx, paymentMethod);
  const charge = newCharge(tx, { ...attempt, decline });
  await insertObject(tx, charge);
  if (decline) await fail(tx, attempt, charge, decline);
  else await succeed(tx, attempt, charge);
  return decline ? "failed" : "paid";
}

async function succeed(tx: Transaction, { intent, paymentMethod }: Attempt, charge: Stripe.Charge) {
  await recordEvent(tx, { type: "charge.succeeded", data: { object: charge } });
  const paid: Stripe.PaymentIntent = {
    ...intent,
    amount_received: intent.amount,
    last_payment_error: null,
    latest_charge: charge.id,
    next_action: null,
    payment_method: paymentMethod.id,
    status: "succeeded",
  };
  await replaceObject(tx, paid);
  await recordEvent(tx, { type: "payment_intent.succeeded", data: { object: paid } });
  const { disputed } = testCardOf(paymentMethod);
  if (disputed) await openDispute(tx, charge, disputed);
}

async function fail(
  tx: Transaction,
  { intent, paymentMethod }: Attempt,
  charge: Stripe.Charge,
  { code, decline_code, message }: Decline,
): Promise<void> {
  await recordEvent(tx, { type: "charge.failed", data: { object: charge } });
  await failIntent(tx, {
    ...intent,
    last_payment_error: {
      charge: charge.id,
      code,
      decline_code,
      message,
      payment_method: paymentMethod,
      type: "card_error",
    },
    latest_charge: charge.id,
  });
}

async function failAuthentication(tx: Transaction, { intent, paymentMethod }: Attempt): Promise<void> {
  const message =
    "We are unable to authenticate your payment method. Please choose a different payment method and try again.";
  await failIntent(tx, {
    ...intent,
    last_payment_error: {
      code: "payment_intent_authentication_failure",
      message,
      payment_method: paymentMethod,
      type: "invalid_request_error",
    },
  });
}

async function failIntent(tx: Transaction, intent: Stripe.PaymentIntent): Promise<void> {
  const failed: Stripe.PaymentIntent = {
    ...intent,
    next_action: null,
    payment_method: null,
    status: "requires_payment_method",
  };
  await replaceObject(tx, failed);
  await recordEvent(tx, { type: "payment_intent.payment_failed", data: { object: failed } });
}

async function requireAction(tx: Transaction, { intent, paymentMethod }: Attempt): Promise<void> {
  const waiting: Stripe.PaymentIntent = {
    ...intent,
    last_payment_error: null,
    next_action: {
      redirect_to_url: {
        return_url: null,
        url: `${tx.publicOrigin}/sandbox/stripe/authenticate/${intent.id}`,
      },
      type: "redirect_to_url",
    },
    payment_method: paymentMethod.id,
    status: "requires_action",
  };
  await replaceObject(tx, waiting);
  await recordEvent(tx, { type: "payment_intent.requires_action", data: { object: waiting } });
}
