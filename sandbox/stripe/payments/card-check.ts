import type Stripe from "stripe";
import type { Transaction } from "../transaction.ts";
import { cardOfFingerprint, type Decline, type TestCard } from "./test-cards.ts";

const EXPIRED: Decline = {
  code: "expired_card",
  decline_code: "expired_card",
  message: "Your card has expired.",
};

/** The test card behind a stored one. */
export function testCardOf(paymentMethod: Stripe.PaymentMethod): TestCard {
  return cardOfFingerprint(paymentMethod.card?.fingerprint ?? "");
}

/** Why the card cannot be saved; null when it can. */
export function refusalToSave(tx: Transaction, paymentMethod: Stripe.PaymentMethod): Decline | null {
  const { declined } = testCardOf(paymentMethod);
  if (declined?.at === "attach") return declined;
  return isExpired(tx, paymentMethod) ? EXPIRED : null;
}

/** Why the card cannot be charged; null when it can. */
export function refusalToPay(tx: Transaction, paymentMethod: Stripe.PaymentMethod): Decline | null {
  return testCardOf(paymentMethod).declined ?? (isExpired(tx, paymentMethod) ? EXPIRED : null);
}

/** Whether the cardholder has to confirm at their bank before a payment with this card. */
export async function needsAuthentication(
  tx: Transaction,
  paymentMethod: Stripe.PaymentMethod,
): Promise<boolean> {
  const { authentication } = testCardOf(paymentMethod);
  if (authentication !== "setup") return authentication === "always";
  const { rowCount } = await tx.client.query(
    "SELECT FROM sandbox_stripe.authenticated_cards WHERE payment_method = $1",
    [paymentMethod.id],
  );
  return rowCount === 0;
}

/** Remembers that the cardholder confirmed once, which is enough for most cards. */
export async function rememberAuthentication(tx: Transaction, paymentMethod: string): Promise<void> {
  await tx.client.query(
    "INSERT INTO sandbox_stripe.authenticated_cards (payment_method) VALUES ($1) ON CONFLICT DO NOTHING",
    [paymentMethod],
  );
}

/** A card is good until the end of its month. */
function isExpired(tx: Transaction, { card }: Stripe.PaymentMethod): boolean {
  if (!card) return false;
  const now = new Date(tx.now * 1000);
  return card.exp_year * 12 + card.exp_month < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
}
