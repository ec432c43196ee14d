import type { ReactNode } from "react";
import type { PromoTerms } from "../../promo/rules.ts";
import { Moment } from "../moment.tsx";
import { describeGift } from "./code-words.ts";

/** The terms of a code or a batch, as names and values. */
export function termsFacts(terms: PromoTerms): [name: string, value: ReactNode][] {
  const { startsAt, expiresAt, confirmedOnly, oncePerMailbox } = terms;
  return [
    ["Gives", describeGift(terms)],
    ["Starts (UTC)", <MomentOr key="starts" instant={startsAt} otherwise="At once" />],
    ["Ends (UTC)", <MomentOr key="ends" instant={expiresAt} otherwise="No end" />],
    ["For", confirmedOnly ? "Confirmed email addresses only" : "Everybody"],
    ["Other spellings of a mailbox", oncePerMailbox ? "Redeem it once together" : "Redeem it once each"],
  ];
}

function MomentOr({ instant, otherwise }: { instant: Date | null; otherwise: string }) {
  return instant ? <Moment instant={instant} /> : otherwise;
}
