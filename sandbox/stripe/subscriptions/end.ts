import type Stripe from "stripe";
import { voidInvoice } from "../invoices/bill.ts";
import { recordEvent } from "../objects/events.ts";
import { endScheduleOf } from "../schedules/end-schedule.ts";
import { findObject, lockOr404, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { stopCollection } from "./dunning.ts";
import { discardPendingUpdate } from "./pending-update.ts";
import { saveSubscription } from "./subscriptions.ts";

interface End {
  /** Unix seconds: the end of the paid period if it was canceled at period end; now, if left out. */
  endedAt?: number;
  /** Why, if it was not asked for before. */
  reason?: Stripe.Subscription.CancellationDetails.Reason | null;
  comment?: string | null | undefined;
  feedback?: Stripe.Subscription.CancellationDetails.Feedback | null | undefined;
}

/** Ends a subscription, its schedule and the attempts to have its invoices paid. It must be locked. */
export async function endSubscription(
  tx: Transaction,
  subscription: Stripe.Subscription,
  { endedAt = tx.now, reason = null, comment, feedback }: End,
): Promise<Stripe.Subscription> {
  const before = await discardPendingUpdate(tx, subscription);
  await endScheduleOf(tx, before, reason);
  await stopCollection(tx, before.id);
  const details = before.cancellation_details;
  const ended: Stripe.Subscription = {
    ...before,
    status: "canceled",
    canceled_at: before.canceled_at ?? endedAt,
    ended_at: endedAt,
    cancellation_details: {
      comment: comment ?? details?.comment ?? null,
      feedback: feedback ?? details?.feedback ?? null,
      feedback_option: details?.feedback_option ?? null,
      reason: details?.reason ?? reason,
    },
    schedule: null,
  };
  await replaceObject(tx, ended);
  await recordEvent(tx, { type: "customer.subscription.deleted", data: { object: ended } });
  return ended;
}

/** The first payment never came: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses */
export async function expireIncomplete(tx: Transaction, id: string): Promise<void> {
  const before = await lockOr404(tx, "subscription", id);
  if (before.status !== "incomplete") return;
  const ended = { canceled_at: tx.now, ended_at: tx.now };
  await saveSubscription(tx, before, { ...before, ...ended, status: "incomplete_expired" });
  const invoice = await findObject(tx, "invoice", String(before.latest_invoice));
  if (invoice?.status === "open") await voidInvoice(tx, invoice.id);
}
