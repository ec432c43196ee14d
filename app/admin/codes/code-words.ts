import { isTier, PLAN_NAMES } from "../../entitlements/tiers.ts";
import { describeDuration, type PromoCodeState, type PromoTerms } from "../../promo/rules.ts";
import type { StateProps } from "../console-page.tsx";

/** "CSV + Banking · 3 months" */
export function describeGift(terms: Pick<PromoTerms, "tier" | "durationType" | "durationMonths">): string {
  return `${terms.tier ? PLAN_NAMES[terms.tier] : "The user’s choice"} · ${describeDuration(terms)}`;
}

/**
 * What a form of terms makes: "SPRING gives 5 people 3 months of CSV + Banking, until 2027-01-31 09:00 (UTC)."
 * @param used how many uses are taken
 * @returns `null` where the server will refuse it
 */
export function describeTyped(subject: string, typed: FormData, used = 0): string | null {
  const textOf = (name: string) => String(typed.get(name) ?? "").trim();
  const isOn = (name: string) => textOf(name) === "on";
  const [tier, months, uses] = [textOf("tier"), textOf("months"), textOf("maxUses")];
  const [from, until] = [textOf("startsAt"), textOf("expiresAt")];
  const isNumber = (text: string) => /^\d*$/.test(text) && text !== "0";
  if (!isNumber(months) || !isNumber(uses) || (uses && Number(uses) < used)) return null;
  if ((months && isOn("forever")) || (from && until && from >= until)) return null;
  const length = { durationType: "months", durationMonths: Number(months || 1) } as const;
  const plan = isTier(tier) ? PLAN_NAMES[tier] : "the plan they choose";
  const left = Number(uses) - used;
  const people = `${left.toLocaleString("en-US")} ${used ? "more " : ""}${left === 1 ? "person" : "people"}`;
  const times = [from && `from ${spaced(from)}`, until && `until ${spaced(until)}`].filter(Boolean).join(" ");
  return [
    `${subject} gives ${uses ? people : "anyone"}`,
    isOn("confirmedOnly") ? " with a confirmed email address" : "",
    isOn("forever") ? ` ${plan} forever` : ` ${describeDuration(length)} of ${plan}`,
    isOn("oncePerMailbox") ? ", once per mailbox" : "",
    times && `, ${times} (UTC)`,
    ".",
  ].join("");
}

const spaced = (moment: string) => moment.replace("T", " ");

export function describeUses({ usedCount, maxUses }: { usedCount: number; maxUses: number | null }): string {
  const used = usedCount.toLocaleString("en-US");
  return maxUses === null ? `${used}, no limit` : `${used} of ${maxUses.toLocaleString("en-US")}`;
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

/** Caps the count, so that a code with a million redemptions on one day costs what others do. */
export const MOST_A_DAY = 1_000;
