import type Stripe from "stripe";
import {
  collectInvoice,
  draftInvoice,
  finalizeInvoice,
  markUncollectible,
  voidInvoice,
} from "../invoices/bill.ts";
import { recordEvent } from "../objects/events.ts";
import { findObject, lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { nextRetry } from "./dunning.ts";
import { endSubscription } from "./end.ts";
import { periodOf, recurringOf, withItems } from "./items.ts";
import { linesOfPeriod } from "./lines.ts";
import { pendingLines, takeUpPendingItems } from "./pending-items.ts";
import { billingPeriod } from "./periods.ts";
import { saveSubscription } from "./save.ts";

/**
 * What happens when a period is over: the subscription ends if that was asked for, is paused if a trial leaves nothing to
 * pay with, or renews. After several periods without a process it continues with the current one.
 */
export async function endPeriod(tx: Transaction, id: string): Promise<void> {
  const before = await lockOr404(tx, "subscription", id);
  const { current_period_end: endedAt } = periodOf(before);
  if (before.cancel_at_period_end) {
    await endSubscription(tx, before, { endedAt });
    return;
  }
  if (before.status === "trialing" && !(await canBeCharged(tx, before))) {
    const behavior = before.trial_settings?.end_behavior.missing_payment_method;
    if (behavior === "cancel") {
      await endSubscription(tx, before, { endedAt });
      return;
    }
    if (behavior === "pause") {
      await pauseAfterTrial(tx, before);
      return;
    }
  }
  await renew(tx, before);
}

/** Whether the subscription or its customer has a card. */
export async function canBeCharged(tx: Transaction, subscription: Stripe.Subscription): Promise<boolean> {
  if (subscription.default_payment_method) return true;
  const customer = await findObject(tx, "customer", String(subscription.customer));
  return !!customer && !customer.deleted && customer.invoice_settings.default_payment_method !== null;
}

/** https://docs.stripe.com/billing/subscriptions/trials/free-trials#create-free-trials-without-payment */
async function pauseAfterTrial(tx: Transaction, before: Stripe.Subscription): Promise<void> {
  const after = await saveSubscription(tx, before, {
    ...before,
    status: "paused",
    status_details: {
      paused: {
        subscription: { type: "trial_end_without_payment_method" },
        transitioned_at: tx.now,
        type: "subscription",
      },
    },
  });
  await recordEvent(tx, { type: "customer.subscription.paused", data: { object: after } });
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
    await (behavior === "void" ? voidInvoice(tx, invoice.id) : markUncollectible(tx, invoice.id));
    return;
  }
  const nextPaymentAttempt = nextRetry(invoice.created, tx.now);
  await collectInvoice(tx, invoice.id, { offSession: true, nextPaymentAttempt });
}
