import type Stripe from "stripe";
import { voidInvoice } from "../invoices/bill.ts";
import { recordEvent } from "../objects/events.ts";
import { findOr404, lockOr404, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { ChangePlan } from "./change.ts";
import { periodOf } from "./items.ts";
import { saveSubscription } from "./subscriptions.ts";

const HOURS_23_SECONDS = 23 * 60 * 60;

/** What a change of what is billed may touch. */
type Changes = Pick<
  Stripe.Subscription,
  "items" | "billing_cycle_anchor" | "cancel_at" | "status" | "trial_start" | "trial_end"
>;

/** Keeps a planned change until its invoice is paid. */
export async function postponeUpdate(
  tx: Transaction,
  subscription: Stripe.Subscription,
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
  before: Stripe.Subscription,
  { after }: ChangePlan,
  invoice: string,
): Promise<Stripe.Subscription> {
  const ends = [tx.now + HOURS_23_SECONDS, periodOf(before).current_period_end];
  return saveSubscription(tx, before, {
    ...before,
    latest_invoice: invoice,
    pending_update: {
      billing_cycle_anchor:
        after.billing_cycle_anchor === before.billing_cycle_anchor ? null : after.billing_cycle_anchor,
      cancel_at_period_end: null,
      discount: null,
      discounts: null,
      expires_at: Math.min(...ends),
      metadata: null,
      subscription_items: after.items.data,
      trial_end: after.trial_end === before.trial_end ? null : after.trial_end,
      trial_from_plan: null,
    },
  });
}

/** Makes the change that has waited for this invoice, now that it is paid; undefined if none has. */
export async function applyPendingUpdate(
  tx: Transaction,
  before: Stripe.Subscription,
  invoice: string,
): Promise<Stripe.Subscription | undefined> {
  const changes = await takePendingUpdate(tx, before.id, invoice);
  if (!changes) return undefined;
  const wasShown = before.pending_update !== null;
  const after = await saveSubscription(tx, before, {
    ...before,
    ...changes,
    latest_invoice: invoice,
    pending_update: null,
  });
  if (wasShown) {
    await recordEvent(tx, {
      type: "customer.subscription.pending_update_applied",
      data: { object: after },
    });
  }
  return after;
}

async function takePendingUpdate(
  tx: Transaction,
  subscription: string,
  invoice: string,
): Promise<Changes | undefined> {
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
export async function dropPendingUpdate(
  tx: Transaction,
  before: Stripe.Subscription,
  invoice: string,
): Promise<void> {
  if (!(await takePendingUpdate(tx, before.id, invoice)) || !before.pending_update) return;
  const after: Stripe.Subscription = { ...before, pending_update: null };
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: { pending_update: before.pending_update } };
  await recordEvent(tx, { type: "customer.subscription.updated", data });
  await recordEvent(tx, {
    type: "customer.subscription.pending_update_expired",
    data: { object: after },
  });
}

/** Voids the invoice that a pending update waits for, and so drops it. Returns the subscription as it is then. */
export async function discardPendingUpdate(
  tx: Transaction,
  subscription: Stripe.Subscription,
): Promise<Stripe.Subscription> {
  if (!subscription.pending_update || !subscription.latest_invoice) return subscription;
  const invoice = await findOr404(tx, "invoice", String(subscription.latest_invoice));
  if (invoice.status === "open") await voidInvoice(tx, invoice.id);
  else await dropPendingUpdate(tx, subscription, invoice.id);
  return lockOr404(tx, "subscription", subscription.id);
}
