import type Stripe from "stripe";

/** Unix seconds; the end is the start of the next period. */
export interface BillingPeriod {
  current_period_start: number;
  current_period_end: number;
}

type Interval = Pick<Stripe.Price.Recurring, "interval" | "interval_count">;

export const DAY_SECONDS = 24 * 60 * 60;
const SECONDS = new Map<string, number>([
  ["day", DAY_SECONDS],
  ["week", 7 * DAY_SECONDS],
]);

/**
 * The period that contains `at`, counted from the anchor in whole calendar intervals, in UTC; the first one if the anchor
 * is still to come. Month ends clamp and recover: from January 31 to February 28, then to March 31.
 * https://docs.stripe.com/billing/subscriptions/billing-cycle
 */
export function billingPeriod(interval: Interval, anchor: number, at: number): BillingPeriod {
  let count = 0;
  while (addIntervals(interval, anchor, count + 1) <= at) count += 1;
  return {
    current_period_start: addIntervals(interval, anchor, count),
    current_period_end: addIntervals(interval, anchor, count + 1),
  };
}

/** The anchor and `count` intervals, in unix seconds. */
export function addIntervals({ interval, interval_count }: Interval, anchor: number, count: number): number {
  const seconds = SECONDS.get(interval);
  if (seconds !== undefined) return anchor + seconds * interval_count * count;
  const date = new Date(anchor * 1000);
  const months = interval_count * count * (interval === "year" ? 12 : 1);
  const lastDay = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0);
  const day = Math.min(date.getUTCDate(), new Date(lastDay).getUTCDate());
  const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, day) / 1000;
  return midnight + (anchor % DAY_SECONDS);
}
