import type Stripe from "stripe";
import { collectInvoice, draftInvoice } from "../invoices/bill.ts";
import { linesOfPeriod } from "../invoices/compose.ts";
import { lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { nextRetry } from "./end.ts";
import { postponeUpdate, showPendingUpdate } from "./pending-update.ts";
import type { ChangePlan, ProrationBehavior } from "./proration.ts";
import { saveSubscription } from "./subscriptions.ts";

interface Application {
  plan: ChangePlan;
  proration_behavior: ProrationBehavior;
  isPendingIfUnpaid: boolean;
}

export async function applyChange(
  tx: Transaction,
  before: Stripe.Subscription,
  { plan, proration_behavior, isPendingIfUnpaid }: Application,
): Promise<Stripe.Subscription> {
  if (!isInvoicedNow(plan, proration_behavior)) return saveSubscription(tx, before, plan.after);
  const invoice = await draftInvoice(tx, {
    subscription: plan.after,
    billing_reason: "subscription_update",
    lines: await linesOfChange(tx, plan),
  });
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

/** The lines of a change's invoice: the prorations, and the new period if one begins. */
export async function linesOfChange(tx: Transaction, { after, prorations, startsPeriod }: ChangePlan) {
  return [...prorations, ...(startsPeriod ? await linesOfPeriod(tx, after) : [])];
}

export function isInvoicedNow({ startsPeriod, prorations }: ChangePlan, behavior: ProrationBehavior) {
  return startsPeriod || (behavior === "always_invoice" && prorations.length > 0);
}
