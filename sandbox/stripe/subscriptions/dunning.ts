import type Stripe from "stripe";
import { collectInvoice, subscriptionOf } from "../invoices/bill.ts";
import { readKnobs } from "../knobs.ts";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import { findOr404, lockOr404, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { endSubscription } from "./end.ts";
import { saveSubscription } from "./subscriptions.ts";

const DAY_SECONDS = 24 * 60 * 60;
/** Days after the invoice. Stripe's smart retries choose their own times. */
const RETRY_DAYS = [3, 5, 7];

/** When an unpaid invoice is tried again, in unix seconds; null after the last time. */
export function nextRetry(created: number, now: number): number | null {
  const times = RETRY_DAYS.map((days) => created + days * DAY_SECONDS);
  return times.find((time) => time > now) ?? null;
}

/** Tries again to have a subscription's invoice paid, and gives up after the last time. */
export async function retryPayment(tx: Transaction, id: string): Promise<void> {
  const invoice = await findOr404(tx, "invoice", id);
  const nextPaymentAttempt = nextRetry(invoice.created, tx.now);
  const outcome = await collectInvoice(tx, id, { nextPaymentAttempt });
  if (outcome !== "paid" && nextPaymentAttempt === null) await giveUp(tx, invoice);
}

/** What the control knob `dunning` says: https://docs.stripe.com/billing/subscriptions/overview#unpaid */
async function giveUp(tx: Transaction, invoice: Stripe.Invoice): Promise<void> {
  const id = subscriptionOf(invoice);
  if (!id) return;
  const subscription = await lockOr404(tx, "subscription", id);
  if (subscription.status !== "past_due" || subscription.latest_invoice !== invoice.id) return;
  const { dunning } = await readKnobs(tx.client);
  if (dunning === "cancel") await endSubscription(tx, subscription, { reason: "payment_failed" });
  else if (dunning === "unpaid")
    await saveSubscription(tx, subscription, { ...subscription, status: "unpaid" });
}

/** Nobody tries any more to have the open invoices of a subscription paid. They can still be paid by hand. */
export async function stopCollection(tx: Transaction, subscription: string): Promise<void> {
  const { rows } = await tx.client.query<{ object: Stripe.Invoice }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'invoice' AND object @> $1 AND object->>'status' IN ('draft', 'open') ORDER BY sequence FOR UPDATE`,
    [JSON.stringify({ parent: { subscription_details: { subscription } } })],
  );
  for (const { object: before } of rows) {
    const after: Stripe.Invoice = { ...before, auto_advance: false, next_payment_attempt: null };
    const previous = previousAttributes(before, after);
    if (!previous) continue;
    await replaceObject(tx, after);
    await recordEvent(tx, {
      type: "invoice.updated",
      data: { object: after, previous_attributes: previous },
    });
  }
}
