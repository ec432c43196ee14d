import { formatDay } from "../ui/format-day.ts";
import type { waitlistInvitations } from "./schema.ts";

/** For each friend who joins by their link and confirms. */
export const PLACES_PER_FRIEND = 5;

/** To one address, until a day has passed without mail. */
export const MAILS_A_DAY = 4;

/** From the latest confirmation mail. */
export const DAYS_TO_CONFIRM = 7;

export type CodeTerms = Pick<
  typeof waitlistInvitations.$inferSelect,
  "tier" | "durationMonths" | "expiresAt"
>;

/** "a free month", "3 free months" */
export function freeTime({ durationMonths }: Pick<CodeTerms, "durationMonths">): string {
  return durationMonths === 1 ? "a free month" : `${durationMonths} free months`;
}

/** In UTC and in words. */
export function lastDayOf({ expiresAt }: Pick<CodeTerms, "expiresAt">): string | null {
  return expiresAt && formatDay(new Date(expiresAt.getTime() - 1));
}
