import type { ReactNode } from "react";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { type CodeTerms, freeTime, lastDayOf } from "../../waitlist/rules.ts";

/** What each code of an invitation gives, as facts. */
export function codeFacts(terms: CodeTerms): [name: string, value: ReactNode][] {
  const lastDay = lastDayOf(terms);
  return [
    ["Each code gives", `${freeTime(terms)} of ${PLAN_NAMES[terms.tier]}`],
    ["It can be applied", lastDay ? `once, until the end of ${lastDay} (UTC)` : "once, with no last day"],
  ];
}
