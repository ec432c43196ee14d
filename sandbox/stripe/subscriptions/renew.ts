import type Stripe from "stripe";
import { existingCustomer } from "../customers.ts";
import { collectInvoice, draftInvoice, finalizeInvoice, voidInvoice } from "../invoices/bill.ts";
import { composeInvoice, linesOfPeriod, type NewInvoice } from "../invoices/compose.ts";
import { atNextPhase } from "../schedules/run-schedule.ts";
import { lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { endSubscription, nextRetry } from "./end.ts";
import { periodOf, recurringOf, withItems } from "./items.ts";
import { billingPeriod } from "./periods.ts";
import { saveSubscription } from "./subscriptions.ts";

/**
 * Ends or renews a subscription at the end of its period. After several periods without a running process it continues with
 * the current one.
 */
export async function endPeriod(tx: Transaction, id: string): Promise<void> {
  const before = await lockOr404(tx, "subscription", id);
  const { current_period_start: start, current_period_end: end } = periodOf(before);
  if (before.cancel_at_period_end) {
    await endSubscription(tx, before, { endedAt: end });
    return;
  }
  const renewed = renewedSubscription(before, tx.now);
  const invoice = await draftInvoice(tx, {
    subscription: renewed,
    billing_reason: "subscription_cycle",
    lines: await linesOfPeriod(tx, renewed),
    period: { start, end },
  });
  await saveSubscription(tx, before, { ...renewed, latest_invoice: invoice.id });
  // https://docs.stripe.com/billing/subscriptions/pause-payment
  const paused = renewed.pause_collection?.behavior;
  if (!paused)
    await collectInvoice(tx, invoice.id, { nextPaymentAttempt: nextRetry(invoice.created, tx.now) });
  if (paused !== "void") return;
  await finalizeInvoice(tx, invoice.id);
  await voidInvoice(tx, invoice.id);
}

/** The subscription in the period that holds `at`. A trial is over. */
function renewedSubscription(before: Stripe.Subscription, at: number): Stripe.Subscription {
  const period = billingPeriod(recurringOf(before), before.billing_cycle_anchor, at);
  const items = before.items.data.map((item) => ({ ...item, ...period }));
  const status = before.status === "trialing" ? "active" : before.status;
  return { ...before, items: withItems(before, items), status };
}

/** An invoice that is not made, at `tx.now`. */
export async function previewInvoice(
  tx: Transaction,
  fields: Omit<NewInvoice, "billing_reason" | "customer">,
): Promise<Stripe.Invoice> {
  const customer = await existingCustomer(tx, String(fields.subscription.customer));
  const invoice = await composeInvoice(tx, { ...fields, customer, billing_reason: "upcoming" });
  return { ...invoice, id: invoice.id.replace("in_", "upcoming_in_"), next_payment_attempt: tx.now };
}

/** The invoice of the next renewal; a schedule's next phase counts. */
export async function previewRenewal(tx: Transaction, subscription: Stripe.Subscription) {
  const { current_period_start: start, current_period_end: end } = periodOf(subscription);
  const next = renewedSubscription(await atNextPhase(tx, subscription), end);
  const then = { ...tx, now: end };
  const lines = await linesOfPeriod(then, next);
  return previewInvoice(then, { subscription: next, lines, period: { start, end } });
}
