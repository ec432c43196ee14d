import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { describeDuration, type PromoCodeState, type PromoTerms } from "../../promo/rules.ts";
import type { StateProps } from "../console-page.tsx";

/** "CSV + Banking · 3 months" */
export function describeGift(terms: Pick<PromoTerms, "tier" | "durationType" | "durationMonths">): string {
  return `${terms.tier ? PLAN_NAMES[terms.tier] : "The user’s choice"} · ${describeDuration(terms)}`;
}

export function describeUses({ usedCount, maxUses }: { usedCount: number; maxUses: number | null }): string {
  if (maxUses === 0) return "no uses left";
  const used = usedCount.toLocaleString("en-US");
  return maxUses === null ? used : `${used} of ${maxUses.toLocaleString("en-US")}`;
}

export const STATES: Record<PromoCodeState, StateProps> = {
  active: { word: "Active", tone: "good" },
  paused: { word: "Paused" },
  "not yet": { word: "Not started", tone: "quiet" },
  ended: { word: "Ended", tone: "quiet" },
  "used up": { word: "Used up", tone: "quiet" },
};

export const pathOfCode = (code: string) => `/admin/codes/${encodeURIComponent(code)}`;

/** As a form field has it, in UTC: 2027-01-31T09:00. */
export function fieldMoment(instant: Date | null): string {
  if (!instant) return "";
  const iso = instant.toISOString();
  return iso.endsWith(":00.000Z") ? iso.slice(0, 16) : iso.slice(0, -1);
}

export const pathOfChanges = (kind: "promo_code" | "promo_batch", id: string) =>
  `/admin/log?${new URLSearchParams({ subject: `${kind}:${id}` })}`;

/** Caps the count, so that a code with a million redemptions on one day costs what others do. */
export const MOST_A_DAY = 1_000;
