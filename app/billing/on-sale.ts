import type { Plan, Price } from "./plans.ts";

/** An active price of an active product. */
export interface ActivePrice extends Price {
  plan: Omit<Plan, "prices">;
  /** At Stripe. */
  createdAt: Date;
}

/** An active price that is not on sale here, with the reason for the operator. */
export interface SkippedPrice {
  id: string;
  plan: string;
  reason: string;
}

/**
 * The active prices that are on sale: for each plan and period the newest in the site's currency, so that a plan never
 * shows two prices for one period. Keeps the order of the prices.
 */
export function pricesOnSale(
  active: readonly ActivePrice[],
  currency: string,
): { plans: Plan[]; skipped: SkippedPrice[] } {
  const plans = new Map<string, Plan>();
  const skipped: SkippedPrice[] = [];
  for (const price of active) {
    const reason = skipReason(price, active, currency);
    if (reason) {
      skipped.push({ id: price.id, plan: price.plan.name, reason });
      continue;
    }
    const plan = plans.get(price.plan.id) ?? { ...price.plan, prices: [] };
    const { id, unitAmount, interval } = price;
    plan.prices.push({ id, unitAmount, currency, interval });
    plans.set(plan.id, plan);
  }
  return { plans: [...plans.values()], skipped };
}

function skipReason(price: ActivePrice, active: readonly ActivePrice[], currency: string): string | null {
  if (price.currency !== currency)
    return `is in ${price.currency}, and the site sells in ${currency} (CURRENCY)`;
  const newer = active.find(
    (other) =>
      other.plan.id === price.plan.id &&
      other.interval === price.interval &&
      other.currency === currency &&
      isNewer(other, price),
  );
  return newer ? `is replaced by ${newer.id}, a newer price of the same plan and period` : null;
}

/** Prices created in the same second are ordered by id, so that exactly one is the newest. */
function isNewer(one: ActivePrice, other: ActivePrice): boolean {
  const seconds = one.createdAt.getTime() - other.createdAt.getTime();
  return seconds === 0 ? one.id > other.id : seconds > 0;
}
