import { includesTier, type Tier } from "../../entitlements/tiers.ts";

/** A plan somebody has or had, and where it came from. */
export interface Holding {
  /** Of the grant or the subscription. */
  id: string;
  source: "paid" | "promo" | "admin";
  tier: Tier;
  from: Date;
  /** Until when it gives or gave access. */
  until: Date;
  renews: boolean;
  /** The code, the operator's reason, or Stripe's status: why they have it. */
  why: string | null;
  /** When it was taken back. */
  revokedAt: Date | null;
}

/**
 * - `in_force`: it decides what they may use now
 * - `waits`: it takes over when a better one ends
 * - `adds_nothing`: another gives as much for as long
 */
export type HoldingState = "in_force" | "waits" | "adds_nothing" | "ended" | "revoked";

/** What somebody holds, the one in force first, then what waits, then what is over, the newest of each first. */
export function describeHoldings(
  holdings: readonly Holding[],
  now: Date,
): (Holding & { state: HoldingState })[] {
  const isLive = ({ revokedAt, until }: Holding) => !revokedAt && until > now;
  const live = holdings.filter(isLive).toSorted(compareByAccess);
  const stateOf = (holding: Holding): HoldingState => {
    if (holding.revokedAt) return "revoked";
    const rank = live.indexOf(holding);
    if (rank < 0) return "ended";
    if (rank === 0) return "in_force";
    // Those ranked before it give at least its tier.
    return live.slice(0, rank).some((better) => endOf(better) >= endOf(holding)) ? "adds_nothing" : "waits";
  };
  return holdings
    .map((holding) => ({ ...holding, state: stateOf(holding) }))
    .toSorted(
      (one, other) =>
        ORDER.indexOf(one.state) - ORDER.indexOf(other.state) || other.from.getTime() - one.from.getTime(),
    );
}

const ORDER: HoldingState[] = ["in_force", "waits", "adds_nothing", "ended", "revoked"];

/** As the view `user_subscriptions` chooses: the highest tier, then the longest. */
function compareByAccess(one: Holding, other: Holding): number {
  if (one.tier !== other.tier) return includesTier(one.tier, other.tier) ? -1 : 1;
  return other.until.getTime() - one.until.getTime();
}

function endOf({ renews, until }: Holding): number {
  return renews ? Number.POSITIVE_INFINITY : until.getTime();
}
