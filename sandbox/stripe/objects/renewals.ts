import type Stripe from "stripe";
import { newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { endSubscription, saveSubscription } from "./subscriptions.ts";

/**
 * What Stripe does at the end of a paid period: renews the subscription, or ends it if it was canceled at period end.
 * Cards never fail here. After several periods without a process it continues with the current one.
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

/** Unix seconds; the end is the start of the next period. */
export interface BillingPeriod {
  current_period_start: number;
  current_period_end: number;
}

/**
 * The period that contains `at`, counted from the anchor in whole calendar intervals, in UTC. Month ends clamp and
 * recover: from January 31 to February 28, then to March 31.
 * https://docs.stripe.com/billing/subscriptions/billing-cycle
 */
export async function billingPeriod(
  tx: Transaction,
  { interval, interval_count }: Stripe.Price.Recurring,
  anchor: number,
  at: number,
): Promise<BillingPeriod> {
  const { rows } = await tx.client.query<BillingPeriod>(
    `SELECT extract(epoch FROM anchor + (n - 1) * every)::float8 AS current_period_start,
            extract(epoch FROM anchor + n * every)::float8 AS current_period_end
     FROM (SELECT to_timestamp($1) AT TIME ZONE 'UTC' AS anchor, $2::interval AS every) AS billing,
          generate_series(1, 10000) AS n
     WHERE anchor + n * every > to_timestamp($3) AT TIME ZONE 'UTC'
     ORDER BY n LIMIT 1`,
    [anchor, `${interval_count} ${interval}`, at],
  );
  const [period] = rows;
  if (!period) throw new Error(`No ${interval_count} ${interval} period from ${anchor} holds ${at}`);
  return period;
}
