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
}
