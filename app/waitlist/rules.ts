import type { Tier } from "../entitlements/tiers.ts";
import { formatDay } from "../ui/format-day.ts";

/** How many places a member moves up for each friend who joins by their link and confirms. */
export const PLACES_PER_FRIEND = 5;

/** How many mails an address can be sent until a day has passed without one: the first and three more. */
export const MAILS_A_DAY = 4;

/** How long a place can be confirmed, in days from the latest confirmation mail. */
export const DAYS_TO_CONFIRM = 7;

/** What an invitation's code gives. */
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
