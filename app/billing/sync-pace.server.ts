import type { PaymentsConfig } from "../config/config.server.ts";
import { isLiveKey } from "../config/environment.server.ts";

/** Customers that one process asks Stripe about at once. */
export const SYNCS_AT_ONCE = 16;
const PER_SECOND_LIVE = 16;
const PER_SECOND_TEST = 4;

/**
 * How many customers one process may begin to ask Stripe about in a second. Stripe takes 100 requests a second, and 25 with keys for
 * tests (https://docs.stripe.com/rate-limits); a sync is five, so that a fifth is left for payment pages. Several processes together may
 * ask too much: Stripe's 429 slows them down (places.ts).
 */
export function syncsPerSecond(payments: PaymentsConfig): number {
  if (payments.mode !== "stripe") return Number.POSITIVE_INFINITY;
  return isLiveKey(payments.secretKey) ? PER_SECOND_LIVE : PER_SECOND_TEST;
}
