import type Stripe from "stripe";
import { recordEvent } from "../objects/events.ts";
import { replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** Sessions do not expire by themselves: call this before looking at any. */
export async function expireOverdueSessions(tx: Transaction): Promise<void> {
  await expireOpenSessions(
    tx,
    `(object->>'expires_at')::float8 <= coalesce(${TIME_OF_CUSTOMER}, extract(epoch FROM now()))`,
  );
}

/** That of the test clock, if the customer is on one. */
const TIME_OF_CUSTOMER = `(
  SELECT (clock.object->>'frozen_time')::float8
  FROM sandbox_stripe.objects AS customer
  JOIN sandbox_stripe.objects AS clock ON clock.id = customer.object->>'test_clock'
  WHERE customer.id = objects.object->>'customer')`;

/** For a customer who is being deleted: a payment would start a subscription nobody owns. */
export async function expireSessionsOf(tx: Transaction, customer: string): Promise<void> {
  await expireOpenSessions(tx, "object->>'customer' = $1", [customer]);
}

async function expireOpenSessions(tx: Transaction, condition: string, values: string[] = []): Promise<void> {
  const { rows } = await tx.client.query<{ object: Stripe.Checkout.Session }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'checkout.session' AND object->>'status' = 'open' AND ${condition}
     ORDER BY id FOR UPDATE`,
    values,
  );
  for (const { object } of rows) await expireSession(tx, object);
}

/** The session must be open, and locked by this transaction. */
export async function expireSession(
  tx: Transaction,
  open: Stripe.Checkout.Session,
): Promise<Stripe.Checkout.Session> {
  const session: Stripe.Checkout.Session = { ...open, status: "expired", url: null };
  await replaceObject(tx, session);
  await recordEvent(tx, { type: "checkout.session.expired", data: { object: session } });
  return session;
}
