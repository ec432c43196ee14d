import type { Tier } from "../entitlements/tiers.ts";

/** What a code gives, to whom, and when, as stored. */
export interface PromoTerms {
  /** `null`: the user chooses when redeeming. */
  tier: Tier | null;
  durationType: "forever" | "months";
  durationMonths: number | null;
  /** `null`: at once. */
  startsAt: Date | null;
  /** `null`: no end. */
  expiresAt: Date | null;
  /** `null`: unlimited. */
  maxUses: number | null;
  confirmedOnly: boolean;
  oncePerMailbox: boolean;
}

/** How long a code gives its plan, in words. */
export function describeDuration({
  durationType,
  durationMonths,
}: Pick<PromoTerms, "durationType" | "durationMonths">): string {
  if (durationType === "forever") return "forever";
  return durationMonths === 1 || durationMonths === null ? "1 month" : `${durationMonths} months`;
}
