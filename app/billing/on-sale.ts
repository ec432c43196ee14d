import type { Plan, Price } from "./plans.ts";

/** A price of the mirror that is active, as is its product. */
export interface ActivePrice extends Price {
  plan: Omit<Plan, "prices">;
  /** At the payments store. */
  createdAt: Date;
}

/** An active price that nobody can buy here, and why, in words for the operator. */
export interface SkippedPrice {
  id: string;
  plan: string;
  reason: string;
}

/**
 * What is on sale of the active prices: of each plan and period the newest in the site's currency, so that a plan never
 * shows two prices for the same. The order of the prices is kept.
 */
export function pricesOnSale(
  active: readonly ActivePrice[],
  currency: string,
): { plans: Plan[]; skipped: SkippedPrice[] } {
  const plans = new Map<string, Plan>();
  const skipped: SkippedPrice[] = [];
  for (const price of active) {
    const reason = whySkipped(price, active, currency);
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

function whySkipped(price: ActivePrice, active: readonly ActivePrice[], currency: string): string | null {
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

/** Of two made in the same second, one must be the newer all the same. */
function isNewer(one: ActivePrice, other: ActivePrice): boolean {
  const seconds = one.createdAt.getTime() - other.createdAt.getTime();
  return seconds === 0 ? one.id > other.id : seconds > 0;
}
