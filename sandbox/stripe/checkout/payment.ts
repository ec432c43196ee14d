import type Stripe from "stripe";
import { newId } from "../object-id.ts";
import { recordEvent } from "../objects/events.ts";
import { newSubscription } from "../objects/new-subscription.ts";
import { insertObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { orderOf } from "./order.ts";

/**
 * Pays an open session and starts its subscription. The guard is on the UPDATE: of two payments at once, one finds
 * the session open and the other, like any payment of a session that is not open, returns undefined. Sessions past
 * their time must have been expired before.
 */
export async function payCheckoutSession(
  tx: Transaction,
  id: string,
): Promise<Stripe.Checkout.Session | undefined> {
  const subscription = newId("sub");
  const invoice = newId("in");
  const { rows } = await tx.client.query<{ object: Stripe.Checkout.Session }>(
    `UPDATE sandbox_stripe.objects SET object = object || $2
     WHERE id = $1 AND kind = 'checkout.session' AND object->>'status' = 'open' RETURNING object`,
    [id, JSON.stringify({ status: "complete", payment_status: "paid", subscription, invoice, url: null })],
  );
  const session = rows[0]?.object;
  if (!session) return undefined;
  await startSubscription(tx, session, subscription, invoice);
  await recordEvent(tx, { type: "checkout.session.completed", data: { object: session } });
  return session;
}

async function startSubscription(
  tx: Transaction,
  session: Stripe.Checkout.Session,
  id: string,
  invoice: string,
): Promise<void> {
  const { price, quantity, subscription_metadata } = await orderOf(tx, session);
  if (!price.recurring)
    throw new Error(`Checkout session ${session.id} sells ${price.id}, which does not recur`);
  const subscription = await newSubscription(tx, {
    id,
    customer: String(session.customer),
    price,
    recurring: price.recurring,
    quantity,
    metadata: subscription_metadata,
    invoice,
  });
  await insertObject(tx, subscription);
  await recordEvent(tx, { type: "customer.subscription.created", data: { object: subscription } });
}
