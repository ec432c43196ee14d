import type Stripe from "stripe";
import { insertObject, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { fingerprintOf, type TestCard } from "./test-cards.ts";

interface NewCard {
  card: TestCard;
  exp_month: number;
  exp_year: number;
  billing_details?: Partial<Stripe.PaymentMethod.BillingDetails>;
  /** Whether a security code was given. */
  cvc?: boolean;
}

/** Stores a card that belongs to no customer yet. */
export async function addCard(tx: Transaction, fields: NewCard): Promise<Stripe.PaymentMethod> {
  const paymentMethod: Stripe.PaymentMethod = {
    id: newId("pm"),
    object: "payment_method",
    allow_redisplay: "unspecified",
    billing_details: {
      address: null,
      email: null,
      name: null,
      phone: null,
      tax_id: null,
      ...fields.billing_details,
    },
    card: newCard(fields),
    created: tx.now,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: "card",
  };
  await insertObject(tx, paymentMethod);
  return paymentMethod;
}

function newCard({ card, exp_month, exp_year, cvc = false }: NewCard): Stripe.PaymentMethod.Card {
  return {
    brand: card.brand,
    checks: {
      address_line1_check: null,
      address_postal_code_check: null,
      cvc_check: cvc ? "pass" : null,
    },
    country: "US",
    display_brand: card.brand,
    exp_month,
    exp_year,
    fingerprint: fingerprintOf(card),
    funding: card.funding,
    generated_from: null,
    last4: card.number.slice(-4),
    networks: { available: [card.brand], preferred: null },
    regulated_status: "unregulated",
    three_d_secure_usage: { supported: card.brand !== "diners" },
    wallet: null,
  };
}
