import type { Tier } from "../entitlements/tiers.ts";
import { formatDay } from "../ui/format-day.ts";

/** What the code of an invitation gives. */
export interface CodeTerms {
  tier: Tier;
  durationMonths: number;
  /** From when on it can no longer be redeemed; `null`: no end. */
  expiresAt: Date | null;
}

/** "a free month", "3 free months". */
export function freeTime({ durationMonths }: Pick<CodeTerms, "durationMonths">): string {
  return durationMonths === 1 ? "a free month" : `${durationMonths} free months`;
}

/** The last day on which the code can be redeemed, in UTC and in words; `null`: no end. */
export function lastDayOf({ expiresAt }: Pick<CodeTerms, "expiresAt">): string | null {
  return expiresAt && formatDay(new Date(expiresAt.getTime() - 1));
}
