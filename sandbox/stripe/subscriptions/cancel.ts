import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "../api/errors.ts";
import { type ApiCall, boolean, readParams } from "../api/params.ts";
import { collectInvoice, draftInvoice } from "../invoices/bill.ts";
import { findOr404, lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { billingFacts } from "./billing-facts.ts";
import { cancellationDetails } from "./cancel-at.ts";
import { creditLines } from "./change.ts";
import { endSubscription } from "./end.ts";
import { expireIncomplete } from "./expire.ts";
import { addPendingItems, pendingLines, takeUpPendingItems } from "./pending-items.ts";

const cancelSchema = z.strictObject({
  cancellation_details: cancellationDetails.optional(),
  invoice_now: boolean.default(false),
  prorate: boolean.default(false),
});

/** Cancels immediately. One that has ended already is not found: https://docs.stripe.com/api/subscriptions/cancel */
export async function cancelSubscription({ tx, params, id }: ApiCall): Promise<Stripe.Subscription> {
  const { cancellation_details, ...billing } = readParams(cancelSchema, params);
  const subscription = await lockOr404(tx, "subscription", id);
  if (["canceled", "incomplete_expired"].includes(subscription.status)) {
    throw resourceMissing("subscription", id);
  }
  if (subscription.status === "incomplete") {
    await expireIncomplete(tx, id);
    return findOr404(tx, "subscription", id);
  }
  await billTheRest(tx, subscription, billing);
  return endSubscription(tx, await lockOr404(tx, "subscription", id), {
    reason: "cancellation_requested",
    comment: cancellation_details?.comment,
    feedback: cancellation_details?.feedback,
  });
}

/** `prorate` credits the unused time; `invoice_now` makes the last invoice, of all that is pending. */
export async function billTheRest(
  tx: Transaction,
  subscription: Stripe.Subscription,
  { invoice_now, prorate }: { invoice_now: boolean; prorate: boolean },
): Promise<void> {
  if (prorate) {
    const prices = subscription.items.data.map(({ price }) => price);
    const facts = await billingFacts(tx, subscription, prices);
    await addPendingItems(tx, subscription, creditLines(subscription, facts, tx.now));
  }
  const lines = invoice_now ? await pendingLines(tx, subscription.id) : [];
  if (lines.length === 0) return;
  const invoice = await draftInvoice(tx, {
    customer: String(subscription.customer),
    subscription,
    billing_reason: "subscription_update",
    lines,
  });
  await takeUpPendingItems(tx, subscription.id, invoice.id);
  await collectInvoice(tx, invoice.id, { offSession: true });
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
