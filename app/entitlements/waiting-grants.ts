import { includesTier, TIERS, type Tier } from "./tiers.ts";

/** A grant or subscription that has not ended, in force or not. One that renews has no known end. */
export interface Entitlement {
  tier: Tier;
  source: "promo" | "admin" | "paid";
  /** The code it came from; omitted where that does not matter. */
  promoCode?: string | null;
  expiresAt: Date;
  renews: boolean;
}

/** A grant that is not in force, because a better plan is. */
export interface WaitingGrant extends Entitlement {
  /** The plan that is in its way the longest. */
  behind: Entitlement;
  /** When it comes into force; `null`: never, as things stand, because `behind` lasts at least as long. */
  from: Date | null;
}

/** The grants besides the plan in force, which is the one the view `user_subscriptions` picks. */
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

/** Of two with the same tier, the longer one comes first; of equal ones, the first. */
function isBefore(one: Entitlement, other: Entitlement, entitlements: readonly Entitlement[]): boolean {
  if (one.tier !== other.tier || endOf(one) > endOf(other)) return true;
  return endOf(one) === endOf(other) && entitlements.indexOf(one) < entitlements.indexOf(other);
}

function endOf({ renews, expiresAt }: Entitlement): number {
  return renews ? Number.POSITIVE_INFINITY : expiresAt.getTime();
}
