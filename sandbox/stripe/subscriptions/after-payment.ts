import type Stripe from "stripe";
import type { PaymentOutcome } from "../payments/attempt.ts";
import { findObject, lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { expireIncomplete } from "./end.ts";
import { applyPendingUpdate, dropPendingUpdate, isPending } from "./pending-update.ts";
import { saveSubscription } from "./subscriptions.ts";

/** What the payment of a subscription's invoice, or its failure, does to the subscription. */
export async function afterInvoice(
  tx: Transaction,
  invoice: Stripe.Invoice,
  outcome: PaymentOutcome,
): Promise<void> {
  const before = await subscriptionOfInvoice(tx, invoice);
  if (!before) return;
  if (outcome === "paid") await afterPayment(tx, before, invoice);
  else await afterFailure(tx, before, invoice);
}

async function afterPayment(
  tx: Transaction,
  before: Stripe.Subscription,
  invoice: Stripe.Invoice,
): Promise<void> {
  const subscription = (await applyPendingUpdate(tx, before, invoice.id)) ?? before;
  if (subscription.latest_invoice === invoice.id) await activate(tx, subscription);
}

async function activate(tx: Transaction, before: Stripe.Subscription): Promise<void> {
  if (["incomplete", "past_due", "unpaid"].includes(before.status)) {
    await saveSubscription(tx, before, { ...before, status: "active" });
  }
}

/** The first invoice leaves the subscription incomplete; a later one makes it past due. */
async function afterFailure(
  tx: Transaction,
  before: Stripe.Subscription,
  invoice: Stripe.Invoice,
): Promise<void> {
  if (before.status !== "active" || before.latest_invoice !== invoice.id) return;
  if (await isPending(tx, before.id, invoice.id)) return;
  await saveSubscription(tx, before, { ...before, status: "past_due" });
}

/** What it does to the subscription that its invoice is void. */
export async function afterInvoiceVoided(tx: Transaction, invoice: Stripe.Invoice): Promise<void> {
  const before = await subscriptionOfInvoice(tx, invoice);
  if (!before) return;
  await dropPendingUpdate(tx, before, invoice.id);
  if (before.status === "incomplete") await expireIncomplete(tx, before.id);
}

async function subscriptionOfInvoice(
  tx: Transaction,
  { parent }: Stripe.Invoice,
): Promise<Stripe.Subscription | undefined> {
  const id = parent?.subscription_details?.subscription;
  if (!id || !(await findObject(tx, "subscription", String(id)))) return undefined;
  return lockOr404(tx, "subscription", String(id));
}
