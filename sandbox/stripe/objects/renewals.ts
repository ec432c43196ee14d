import type Stripe from "stripe";
import { newId } from "../object-id.ts";
import type { Transaction } from "../transaction.ts";
import { billingPeriod } from "./billing-period.ts";
import { endSubscription, saveSubscription } from "./subscriptions.ts";

/**
 * Does what Stripe does when a paid period is over: renews the subscription, or ends it if that was asked for.
 * The card of a sandbox buyer never fails. A sandbox that slept through several periods lands in the current one.
 */
export async function renewDueSubscriptions(tx: Transaction): Promise<void> {
  const { rows } = await tx.client.query<{ object: Stripe.Subscription }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'subscription' AND object->>'status' = 'active'
       AND (object #>> '{items,data,0,current_period_end}')::float8 <= $1
     ORDER BY id FOR UPDATE SKIP LOCKED`,
    [tx.now],
  );
  for (const { object: subscription } of rows) {
    const [item] = subscription.items.data;
    if (!item?.price.recurring) continue;
    if (subscription.cancel_at_period_end) {
      await endSubscription(tx, subscription, item.current_period_end);
      continue;
    }
    const { recurring } = item.price;
    const period = await billingPeriod(tx, recurring, subscription.billing_cycle_anchor, tx.now);
    await saveSubscription(tx, subscription, {
      ...subscription,
      items: { ...subscription.items, data: [{ ...item, ...period }] },
      latest_invoice: newId("in"),
    });
  }
}
