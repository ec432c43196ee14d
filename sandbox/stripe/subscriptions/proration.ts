/** What was billed for an item from `start` until `end` (unix seconds); `amount` in minor units, net of discounts. */
export interface Debit {
  amount: number;
  start: number;
  end: number;
}

/**
 * The part of an amount for the time from `at` until the end of its period, to the second, in whole minor units.
 * https://docs.stripe.com/billing/subscriptions/prorations
 */
export function prorate({ amount, start, end }: Debit, at: number): number {
  if (end <= start) return 0;
  const left = Math.min(Math.max(end - at, 0), end - start);
  return Math.round((amount * left) / (end - start));
}

/**
 * What an item's unused time is worth: a share of what was billed for it last, as in Stripe's flexible billing mode. Never
 * positive; 0 when nothing was billed for that time.
 * https://docs.stripe.com/billing/subscriptions/billing-mode/compare
 */
export function creditFor(debit: Debit | undefined, at: number): number {
  return debit ? 0 - prorate(debit, at) : 0;
}
