import type Stripe from "stripe";
import { recordEvent } from "../objects/events.ts";
import { replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** Saves a card for a customer, who may use it again. */
export async function attachCard(
  tx: Transaction,
  paymentMethod: Stripe.PaymentMethod,
  customer: string,
): Promise<Stripe.PaymentMethod> {
  const attached: Stripe.PaymentMethod = { ...paymentMethod, customer };
  await replaceObject(tx, attached);
  await recordEvent(tx, { type: "payment_method.attached", data: { object: attached } });
  return attached;
}
