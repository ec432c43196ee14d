export const CHOOSE = "choose";

/** Redirects to an unambiguous hit, unless hits are only offered. */
export function pathOfSearch(typed: string, isOffered: boolean): string {
  return `/admin/search?${new URLSearchParams({ q: typed, ...(isOffered && { [CHOOSE]: "1" }) })}`;
}

export interface Hit {
  kind: "Person" | "Promo code" | "Plan" | "Waitlist" | "Email" | "Invoice" | "Job";
  title: string;
  detail: string;
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

/** "3 people, 1 promo code", in the order of the hits. */
export function countsOf(hits: readonly Hit[]): string {
  const counts = Map.groupBy(hits, ({ kind }) => kind);
  return [...counts]
    .map(([kind, found]) => {
      const count = found.filter(({ isRest }) => !isRest).length;
      const isMore = count < found.length;
      return `${isMore ? "more than " : ""}${count} ${NAMES[kind][count === 1 ? 0 : 1]}`;
    })
    .join(", ");
}
