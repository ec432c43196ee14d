import type Stripe from "stripe";
import { cardError, resourceMissing } from "../api/errors.ts";
import { recordEvent } from "../objects/events.ts";
import { listObjects, lockObject, lockOr404, replaceObject } from "../store.ts";
import { saveSubscription } from "../subscriptions/subscriptions.ts";
import type { Transaction } from "../transaction.ts";
import { refusalToSave } from "./card-check.ts";
import { addCard } from "./new-payment-method.ts";
import { cardOfAlias, type Decline } from "./test-cards.ts";

/** The stored card a parameter names, locked, or a new one for `pm_card_visa` and its like. @throws Stripe's error */
export async function payableCard(tx: Transaction, id: string, param: string): Promise<Stripe.PaymentMethod> {
  const stored = await lockObject(tx, "payment_method", id);
  if (stored) return stored;
  const card = cardOfAlias(id);
  if (!card) throw resourceMissing("PaymentMethod", id, param);
  return addCard(tx, { card, ...validForYears(tx) });
}

/** The expiry of ready-made cards: far enough for any test clock. */
function validForYears(tx: Transaction): { exp_month: number; exp_year: number } {
  return { exp_month: 12, exp_year: new Date(tx.now * 1000).getUTCFullYear() + 8 };
}

/** Saves a card for a customer, who may use it again. @throws Stripe's 402 for a card that banks refuse */
export async function attachCard(
  tx: Transaction,
  paymentMethod: Stripe.PaymentMethod,
  customer: string,
): Promise<Stripe.PaymentMethod> {
  const refusal = refusalToSave(tx, paymentMethod);
  if (refusal) throw declineError(refusal);
  const attached: Stripe.PaymentMethod = { ...paymentMethod, customer };
  await replaceObject(tx, attached);
  await recordEvent(tx, { type: "payment_method.attached", data: { object: attached } });
  return attached;
}

function declineError({ message, code, decline_code }: Decline) {
  return cardError(message, code, { decline_code });
}

/** Takes a card off its customer, and off whatever was to be paid with it. */
export async function detachCard(
  tx: Transaction,
  paymentMethod: Stripe.PaymentMethod,
): Promise<Stripe.PaymentMethod> {
  const { id, customer } = paymentMethod;
  const having = { default_payment_method: id };
  const paidWithIt = await listObjects(tx, "subscription", "", { limit: 100, having });
  for (const subscription of paidWithIt.data) {
    const before = await lockOr404(tx, "subscription", subscription.id);
    await saveSubscription(tx, before, { ...before, default_payment_method: null });
  }
  await chooseDefaultCard(tx, String(customer), (current) => (current === id ? null : current));
  const detached: Stripe.PaymentMethod = { ...paymentMethod, customer: null };
  await replaceObject(tx, detached);
  const data = { object: detached, previous_attributes: { customer } };
  await recordEvent(tx, { type: "payment_method.detached", data });
  return detached;
}

/** Later invoices of a subscription are charged to this card. */
export async function chargeSubscriptionTo(tx: Transaction, id: string, card: string): Promise<void> {
  const before = await lockOr404(tx, "subscription", id);
  await saveSubscription(tx, before, { ...before, default_payment_method: card });
}

/** Changes which card a customer's invoices are charged to, unless their subscription has one of its own. */
async function chooseDefaultCard(
  tx: Transaction,
  id: string,
  choose: (current: string | null) => string | null,
): Promise<void> {
  const before = await lockOr404(tx, "customer", id);
  if (before.deleted) return;
  const current = before.invoice_settings.default_payment_method as string | null;
  const chosen = choose(current);
  if (chosen === current) return;
  const invoice_settings = { ...before.invoice_settings, default_payment_method: chosen };
  const after: Stripe.Customer = { ...before, invoice_settings };
  await replaceObject(tx, after);
  const previous_attributes = { invoice_settings: before.invoice_settings };
  await recordEvent(tx, { type: "customer.updated", data: { object: after, previous_attributes } });
}
