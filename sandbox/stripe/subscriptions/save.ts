import type Stripe from "stripe";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import { replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** Saves the changes and records their event, if there are any. Returns the subscription as it is then. */
export async function saveSubscription(
  tx: Transaction,
  before: Stripe.Subscription,
  after: Stripe.Subscription,
): Promise<Stripe.Subscription> {
  const previous = previousAttributes(before, after);
  if (!previous) return after;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "customer.subscription.updated", data });
  return after;
}
