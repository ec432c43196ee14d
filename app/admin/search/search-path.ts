import type { StateProps } from "../console-page.tsx";

export const CHOOSE = "choose";

/** Redirects to an unambiguous hit, unless hits are only offered. */
export function pathOfSearch(typed: string, isOffered: boolean): string {
  return `/admin/search?${new URLSearchParams({ q: typed, ...(isOffered && { [CHOOSE]: "1" }) })}`;
}

export interface Hit {
  kind: "Person" | "Promo code" | "Plan" | "Waitlist" | "Email" | "Invoice" | "Job";
  title: string;
  /** In lines. */
  detail: string;
  state?: StateProps | null;
  href: string;
  isExact: boolean;
  /** A link to all that begin so, of which only the first are here. */
  isRest?: boolean;
}

const NAMES: Record<Hit["kind"], [one: string, many: string]> = {
  Person: ["person", "people"],
  "Promo code": ["promo code", "promo codes"],
  Plan: ["plan", "plans"],
  Waitlist: ["place on the waitlist", "places on the waitlist"],
  Email: ["address with emails", "addresses with emails"],
  Invoice: ["invoice", "invoices"],
  Job: ["job", "jobs"],
};

/** By kind, in the order of the hits, each with its count: "3 people". */
export function groupHits(hits: readonly Hit[]): { counted: string; found: Hit[] }[] {
  return [...Map.groupBy(hits, ({ kind }) => kind)].map(([kind, found]) => {
    const count = found.filter(({ isRest }) => !isRest).length;
    const isMore = count < found.length;
    return {
      counted: `${isMore ? "more than " : ""}${count} ${NAMES[kind][count === 1 ? 0 : 1]}`,
      found,
    };
  });
}

/** "3 people, 1 promo code" */
export const countsOf = (hits: readonly Hit[]) =>
  groupHits(hits)
    .map(({ counted }) => counted)
    .join(", ");
