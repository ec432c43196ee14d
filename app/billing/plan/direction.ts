import type { BillingInterval } from "../plans.ts";

/** A price, as far as the rule needs it: `unitAmount` in minor units. */
export interface RatedPrice {
  unitAmount: number;
  interval: BillingInterval;
}

/**
 * When a change takes effect: up at once, down when the paid period ends. From a month to a year is up, from a year to a
 * month down, whatever the amounts are.
 */
export function changeHappens(from: RatedPrice, to: RatedPrice): "now" | "at_period_end" {
  if (from.interval !== to.interval) return to.interval === "year" ? "now" : "at_period_end";
  return to.unitAmount >= from.unitAmount ? "now" : "at_period_end";
}
