import type Stripe from "stripe";
import { collectInvoice, draftInvoice } from "../invoices/bill.ts";
import type { NewLine } from "../invoices/compose.ts";
import { linesOfPeriod } from "../invoices/lines.ts";
import { lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { ChangePlan, ProrationBehavior } from "./change.ts";
import { nextRetry } from "./dunning.ts";
import { addPendingItems, pendingLines, takeUpPendingItems } from "./pending-items.ts";
import { postponeUpdate, showPendingUpdate } from "./pending-update.ts";
import { saveSubscription } from "./subscriptions.ts";

interface Application {
  plan: ChangePlan;
  proration_behavior: ProrationBehavior;
  /** Unix seconds. */
  proration_date: number;
  /** Whether the change waits for the payment of its invoice. */
  isPendingIfUnpaid: boolean;
}

/** Makes a planned change, and the invoice it needs. */
export async function applyChange(
  tx: Transaction,
  before: Stripe.Subscription,
  { plan, isPendingIfUnpaid, ...prorations }: Application,
): Promise<Stripe.Subscription> {
  const lines = await linesOfChange(tx, plan);
  if (!isInvoicedNow(plan, prorations.proration_behavior, lines)) {
    await addPendingItems(tx, plan.after, plan.prorations);
    return saveSubscription(tx, before, plan.after);
  }
  const invoice = await draftInvoice(tx, {
    customer: String(before.customer),
    subscription: plan.after,
    billing_reason: "subscription_update",
    lines,
    currency: before.currency,
    subscription_proration_date: prorations.proration_date,
  });
  await takeUpPendingItems(tx, before.id, invoice.id);
  if (!isPendingIfUnpaid) {
    await saveSubscription(tx, before, { ...plan.after, latest_invoice: invoice.id });
    await collectInvoice(tx, invoice.id, { nextPaymentAttempt: nextRetry(invoice.created, tx.now) });
    return lockOr404(tx, "subscription", before.id);
  }
  await postponeUpdate(tx, before, plan, invoice.id);
  const outcome = await collectInvoice(tx, invoice.id);
  const current = await lockOr404(tx, "subscription", before.id);
  return outcome === "paid" ? current : showPendingUpdate(tx, current, plan, invoice.id);
}

/** What the invoice of a change lists: what was pending, the prorations, and the new period if one begins. */
export async function linesOfChange(
  tx: Transaction,
  { after, prorations, startsPeriod }: ChangePlan,
): Promise<NewLine[]> {
  const pending = await pendingLines(tx, after.id);
  return [...pending, ...prorations, ...(startsPeriod ? await linesOfPeriod(tx, after) : [])];
}

/** Otherwise its prorations wait for the next invoice. */
export function isInvoicedNow(
  { startsPeriod, prorations }: ChangePlan,
  behavior: ProrationBehavior,
  lines: NewLine[],
): boolean {
  return startsPeriod || (behavior === "always_invoice" && prorations.length > 0 && lines.length > 0);
}
