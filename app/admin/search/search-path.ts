/** The parameter by which the only thing that a search can mean is offered, too. */
export const CHOOSE = "choose";

/** The URL of a search. Redirects to an unambiguous hit, unless hits are only offered. */
export function pathOfSearch(typed: string, isOffered: boolean): string {
  return `/admin/search?${new URLSearchParams({ q: typed, ...(isOffered && { [CHOOSE]: "1" }) })}`;
}

/** Something that was searched for. */
export interface Hit {
  kind: "Person" | "Promo code" | "Plan" | "Waitlist" | "Email" | "Invoice" | "Job";
  title: string;
  detail: string;
  href: string;
  /** Whether the hit equals what was typed, not only begins with it. */
  isExact: boolean;
}
