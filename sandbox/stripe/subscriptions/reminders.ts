import { recordEvent } from "../objects/events.ts";
import { findOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { periodOf } from "./items.ts";
import { previewRenewal } from "./preview-renewal.ts";

/** Three days before: https://docs.stripe.com/billing/subscriptions/trials/manage-trial-compliance */
export async function remindOfTrialEnd(tx: Transaction, id: string): Promise<void> {
  const subscription = await findOr404(tx, "subscription", id);
  await recordEvent(tx, {
    type: "customer.subscription.trial_will_end",
    data: { object: subscription },
  });
  await tx.client.query("UPDATE sandbox_stripe.objects SET told_trial = $2 WHERE id = $1", [
    id,
    subscription.trial_end,
  ]);
}

/** Seven days before; Stripe lets the account choose. */
export async function remindOfRenewal(tx: Transaction, id: string): Promise<void> {
  const subscription = await findOr404(tx, "subscription", id);
  const invoice = await previewRenewal(tx, subscription);
  await recordEvent(tx, { type: "invoice.upcoming", data: { object: invoice } });
  await tx.client.query("UPDATE sandbox_stripe.objects SET told_upcoming = $2 WHERE id = $1", [
    id,
    periodOf(subscription).current_period_end,
  ]);
}
