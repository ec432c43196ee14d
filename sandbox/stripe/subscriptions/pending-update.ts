import type Stripe from "stripe";
import { recordEvent } from "../events.ts";
import { voidInvoice } from "../invoices/bill.ts";
import { findOr404, lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { periodOf } from "./items.ts";
import type { ChangePlan } from "./proration.ts";
import { saveSubscription } from "./subscriptions.ts";

type Subscription = Stripe.Subscription;

const HOURS_23_SECONDS = 23 * 60 * 60;

type Changes = Pick<
  Subscription,
  "items" | "billing_cycle_anchor" | "cancel_at" | "status" | "trial_start" | "trial_end"
>;

/** Keeps a planned change until its invoice is paid. */
export async function postponeUpdate(
  tx: Transaction,
  subscription: Subscription,
  { after }: ChangePlan,
  invoice: string,
): Promise<void> {
  const { items, billing_cycle_anchor, cancel_at, status, trial_start, trial_end } = after;
  const changes: Changes = { items, billing_cycle_anchor, cancel_at, status, trial_start, trial_end };
  await tx.client.query(
    "INSERT INTO sandbox_stripe.pending_updates (subscription, invoice, changes) VALUES ($1, $2, $3)",
    [subscription.id, invoice, JSON.stringify(changes)],
  );
}

/** Shows that a change waits for its invoice: https://docs.stripe.com/billing/subscriptions/pending-updates */
export async function showPendingUpdate(
  tx: Transaction,
  before: Subscription,
  { after }: ChangePlan,
  invoice: string,
): Promise<Subscription> {
  const { billing_cycle_anchor, trial_end } = after;
  const pending_update = {
    billing_cycle_anchor: billing_cycle_anchor === before.billing_cycle_anchor ? null : billing_cycle_anchor,
    expires_at: Math.min(tx.now + HOURS_23_SECONDS, periodOf(before).current_period_end),
    subscription_items: after.items.data,
    trial_end: trial_end === before.trial_end ? null : trial_end,
  };
  return saveSubscription(tx, before, {
    ...before,
    latest_invoice: invoice,
    pending_update: pending_update as Stripe.Subscription.PendingUpdate,
  });
}

/** Makes the change that has waited for this invoice, now that it is paid; undefined if none has. */
export async function applyPendingUpdate(tx: Transaction, before: Subscription, invoice: string) {
  const changes = await takePendingUpdate(tx, before.id, invoice);
  if (!changes) return undefined;
  const done = { latest_invoice: invoice, pending_update: null };
  const after = await saveSubscription(tx, before, { ...before, ...changes, ...done });
  if (before.pending_update) await recordEvent(tx, "customer.subscription.pending_update_applied", after);
  return after;
}

async function takePendingUpdate(tx: Transaction, subscription: string, invoice: string) {
  const { rows } = await tx.client.query<{ changes: Changes }>(
    "DELETE FROM sandbox_stripe.pending_updates WHERE subscription = $1 AND invoice = $2 RETURNING changes",
    [subscription, invoice],
  );
  return rows[0]?.changes;
}

export async function isPending(tx: Transaction, subscription: string, invoice: string): Promise<boolean> {
  const { rowCount } = await tx.client.query(
    "SELECT FROM sandbox_stripe.pending_updates WHERE subscription = $1 AND invoice = $2",
    [subscription, invoice],
  );
  return rowCount === 1;
}

/** The invoice of a pending update has been voided: nothing changes. */
export async function dropPendingUpdate(tx: Transaction, before: Subscription, invoice: string) {
  if (!(await takePendingUpdate(tx, before.id, invoice)) || !before.pending_update) return;
  const after = await saveSubscription(tx, before, { ...before, pending_update: null });
  await recordEvent(tx, "customer.subscription.pending_update_expired", after);
}

/** Voids the invoice that a pending update waits for, which drops the update. Returns the subscription afterwards. */
export async function discardPendingUpdate(tx: Transaction, subscription: Subscription) {
  if (!subscription.pending_update || !subscription.latest_invoice) return subscription;
  const invoice = await findOr404(tx, "invoice", String(subscription.latest_invoice));
  if (invoice.status === "open") await voidInvoice(tx, invoice.id);
  else await dropPendingUpdate(tx, subscription, invoice.id);
  return lockOr404(tx, "subscription", subscription.id);
}
