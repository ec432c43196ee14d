import type Stripe from "stripe";
import { saveChanges } from "../events.ts";
import { subscriptionOf } from "../invoices/bill.ts";
import type { PaymentOutcome } from "../payments/payments.ts";
import { lockObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { applyPendingUpdate, dropPendingUpdate, isPending } from "./pending-update.ts";

export function saveSubscription(tx: Transaction, before: Stripe.Subscription, after: Stripe.Subscription) {
  return saveChanges(tx, "customer.subscription.updated", before, after);
}

/**
 * Updates a subscription after its invoice was paid or failed, which makes it past due.
 */
export async function afterInvoice(tx: Transaction, invoice: Stripe.Invoice, outcome: PaymentOutcome) {
  const before = await lockObject(tx, "subscription", subscriptionOf(invoice));
  if (!before) return;
  if (outcome === "paid") {
    const after = (await applyPendingUpdate(tx, before, invoice.id)) ?? before;
    if (after.latest_invoice === invoice.id && after.status === "past_due")
      await saveSubscription(tx, after, { ...after, status: "active" });
    return;
  }
  if (before.status !== "active" || before.latest_invoice !== invoice.id) return;
  if (await isPending(tx, before.id, invoice.id)) return;
  await saveSubscription(tx, before, { ...before, status: "past_due" });
}

export async function afterInvoiceVoided(tx: Transaction, invoice: Stripe.Invoice): Promise<void> {
  const before = await lockObject(tx, "subscription", subscriptionOf(invoice));
  if (before) await dropPendingUpdate(tx, before, invoice.id);
}
