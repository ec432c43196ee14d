import type Stripe from "stripe";
import { collectInvoice, draftInvoice, finalizeInvoice, voidInvoice } from "../invoices/bill.ts";
import { linesOfPeriod } from "../invoices/lines.ts";
import { lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { nextRetry } from "./dunning.ts";
import { endSubscription } from "./end.ts";
import { periodOf, recurringOf, withItems } from "./items.ts";
import { pendingLines, takeUpPendingItems } from "./pending-items.ts";
import { billingPeriod } from "./periods.ts";
import { saveSubscription } from "./subscriptions.ts";

/**
 * What happens when a period is over: the subscription ends if that was asked for, or renews. After several periods without a process it continues with the current one.
 */
export async function endPeriod(tx: Transaction, id: string): Promise<void> {
  const before = await lockOr404(tx, "subscription", id);
  const { current_period_end: endedAt } = periodOf(before);
  if (before.cancel_at_period_end) {
    await endSubscription(tx, before, { endedAt });
    return;
  }
  await renew(tx, before);
}

async function renew(tx: Transaction, before: Stripe.Subscription): Promise<void> {
  const renewed = renewedSubscription(before, tx.now);
  const past = periodOf(before);
  const invoice = await draftInvoice(tx, {
    customer: String(before.customer),
    subscription: renewed,
    billing_reason: "subscription_cycle",
    lines: [...(await pendingLines(tx, before.id)), ...(await linesOfPeriod(tx, renewed))],
    period: { start: past.current_period_start, end: past.current_period_end },
  });
  await takeUpPendingItems(tx, before.id, invoice.id);
  await saveSubscription(tx, before, { ...renewed, latest_invoice: invoice.id });
  await collectRenewal(tx, renewed, invoice);
}

/** The subscription in the period that holds `at`. A trial is over. */
export function renewedSubscription(before: Stripe.Subscription, at: number): Stripe.Subscription {
  const period = billingPeriod(recurringOf(before), before.billing_cycle_anchor, at);
  const items = before.items.data.map((item) => ({ ...item, ...period }));
  const status = before.status === "trialing" ? "active" : before.status;
  return { ...before, items: withItems(before, items), status };
}

/** https://docs.stripe.com/billing/subscriptions/pause-payment */
async function collectRenewal(
  tx: Transaction,
  { status, pause_collection }: Stripe.Subscription,
  invoice: Stripe.Invoice,
): Promise<void> {
  const behavior = pause_collection?.behavior;
  if (behavior === "keep_as_draft" || (!behavior && status === "unpaid")) return;
  if (behavior) {
    await finalizeInvoice(tx, invoice.id);
    await voidInvoice(tx, invoice.id);
    return;
  }
  const nextPaymentAttempt = nextRetry(invoice.created, tx.now);
  await collectInvoice(tx, invoice.id, { nextPaymentAttempt });
}
