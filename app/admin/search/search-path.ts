/** The parameter by which the only thing that a search can mean is offered, too. */
export const CHOOSE = "choose";

/** The address of a search; it leads to what can only be meant, unless that is offered. */
export function pathOfSearch(typed: string, isOffered: boolean): string {
  return `/admin/search?${new URLSearchParams({ q: typed, ...(isOffered && { [CHOOSE]: "1" }) })}`;
}

/** Something that was searched for. */
export interface Hit {
  kind: "Person" | "Promo code" | "Plan" | "Waitlist" | "Email" | "Invoice" | "Job";
  title: string;
  detail: string;
  href: string;
  /** Whether it is what was typed, and not only begins with it. */
  isExact: boolean;
}
