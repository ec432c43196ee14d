import { includesTier, TIERS, type Tier } from "./tiers.ts";

/** In force or not. One that renews has no known end. */
export interface Entitlement {
  tier: Tier;
  source: "promo" | "admin" | "paid";
  /** Omitted where it does not matter. */
  promoCode?: string | null;
  expiresAt: Date;
  renews: boolean;
}

/** Not in force, because a better plan is. */
export interface WaitingGrant extends Entitlement {
  /** Of the better plans, the one that lasts longest. */
  behind: Entitlement;
  /** `null`: never, because `behind` lasts at least as long. */
  from: Date | null;
}

/** Besides the one in force, which the view `user_subscriptions` picks. */
export function waitingGrants(entitlements: readonly Entitlement[]): WaitingGrant[] {
  const [, ...others] = entitlements.toSorted(
    (one, other) =>
      TIERS.indexOf(other.tier) - TIERS.indexOf(one.tier) ||
      other.expiresAt.getTime() - one.expiresAt.getTime(),
  );
  return others.flatMap((plan) => {
    if (plan.source === "paid") return [];
    const inItsWay = entitlements.filter(
      (other) => other !== plan && includesTier(other.tier, plan.tier) && isBefore(other, plan, entitlements),
    );
    const [behind] = inItsWay.toSorted((one, other) => endOf(other) - endOf(one));
    if (!behind) return [];
    return [{ ...plan, behind, from: endOf(behind) < plan.expiresAt.getTime() ? behind.expiresAt : null }];
  });
}

/** By tier, then length; of equal ones, the first. */
function isBefore(one: Entitlement, other: Entitlement, entitlements: readonly Entitlement[]): boolean {
  if (one.tier !== other.tier || endOf(one) > endOf(other)) return true;
  return endOf(one) === endOf(other) && entitlements.indexOf(one) < entitlements.indexOf(other);
}

function endOf({ renews, expiresAt }: Entitlement): number {
  return renews ? Number.POSITIVE_INFINITY : expiresAt.getTime();
}
