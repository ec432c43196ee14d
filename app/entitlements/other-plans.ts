import { includesTier, TIERS, type Tier } from "./tiers.ts";

/** A plan a user has at the moment, in force or not. One that renews has no known end. */
export interface HeldPlan {
  tier: Tier;
  source: "promo" | "admin" | "paid";
  /** Which code it came with; absent where that does not matter. */
  promoCode?: string | null;
  expiresAt: Date;
  renews: boolean;
}

/** A plan that was given and is not in force, because a better one is. */
export interface OtherPlan extends HeldPlan {
  /** The plan that is in its way the longest. */
  behind: HeldPlan;
  /** When it comes into force; `null`: never, as things stand, because `behind` lasts at least as long. */
  from: Date | null;
}

/** What somebody was given besides the plan in force, which is the one the view `user_subscriptions` picks. */
export function otherPlans(held: readonly HeldPlan[]): OtherPlan[] {
  const [, ...others] = held.toSorted(
    (one, other) =>
      TIERS.indexOf(other.tier) - TIERS.indexOf(one.tier) ||
      other.expiresAt.getTime() - one.expiresAt.getTime(),
  );
  return others.flatMap((plan) => {
    if (plan.source === "paid") return [];
    const inItsWay = held.filter(
      (other) => other !== plan && includesTier(other.tier, plan.tier) && isBefore(other, plan, held),
    );
    const [behind] = inItsWay.toSorted((one, other) => endOf(other) - endOf(one));
    if (!behind) return [];
    return [{ ...plan, behind, from: endOf(behind) < plan.expiresAt.getTime() ? behind.expiresAt : null }];
  });
}

/** Of two of the same tier the one that lasts longer is before the other; of twins the first. */
function isBefore(one: HeldPlan, other: HeldPlan, held: readonly HeldPlan[]): boolean {
  if (one.tier !== other.tier || endOf(one) > endOf(other)) return true;
  return endOf(one) === endOf(other) && held.indexOf(one) < held.indexOf(other);
}

function endOf({ renews, expiresAt }: HeldPlan): number {
  return renews ? Number.POSITIVE_INFINITY : expiresAt.getTime();
}
