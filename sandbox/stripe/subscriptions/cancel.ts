import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "../api/errors.ts";
import { type ApiCall, readParams } from "../api/params.ts";
import { findOr404, lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { cancellationDetails } from "./cancel-at.ts";
import { endSubscription, expireIncomplete } from "./end.ts";

const cancelSchema = z.strictObject({
  cancellation_details: cancellationDetails.optional(),
  /** The unused time is neither billed nor credited here. */
  invoice_now: z.enum(["false"]).optional(),
  prorate: z.enum(["false"]).optional(),
});

/** Cancels immediately. One that has ended already is not found: https://docs.stripe.com/api/subscriptions/cancel */
export async function cancelSubscription({ tx, params, id }: ApiCall): Promise<Stripe.Subscription> {
  const { cancellation_details } = readParams(cancelSchema, params);
  const subscription = await lockOr404(tx, "subscription", id);
  if (["canceled", "incomplete_expired"].includes(subscription.status)) {
    throw resourceMissing("subscription", id);
  }
  if (subscription.status === "incomplete") {
    await expireIncomplete(tx, id);
    return findOr404(tx, "subscription", id);
  }
  return endSubscription(tx, subscription, {
    reason: "cancellation_requested",
    comment: cancellation_details?.comment,
    feedback: cancellation_details?.feedback,
  });
}

/** For a customer who is being deleted. */
export async function cancelSubscriptionsOf(tx: Transaction, customer: string): Promise<void> {
  const { rows } = await tx.client.query<{ object: Stripe.Subscription }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'subscription' AND object @> $1 AND object->>'status' NOT IN ('canceled', 'incomplete_expired')
     ORDER BY id FOR UPDATE`,
    [JSON.stringify({ customer })],
  );
  for (const { object } of rows) await endSubscription(tx, object, { reason: "cancellation_requested" });
}
