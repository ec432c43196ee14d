import type Stripe from "stripe";
import type { Transaction } from "../transaction.ts";

/** Unix seconds; the end is the start of the next period. */
export interface BillingPeriod {
  current_period_start: number;
  current_period_end: number;
}

/**
 * The period that `at` falls into, counted from the anchor in whole calendar intervals, in UTC. Month ends
 * clamp and recover: from January 31 to February 28, then to March 31.
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
