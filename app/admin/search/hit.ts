/** Something that was searched for. */
export interface Hit {
  kind: "Person" | "Promo code" | "Plan" | "Waitlist" | "Email" | "Invoice" | "Job";
  title: string;
  detail: string;
  href: string;
  /** Whether it is what was typed, and not only begins with it. */
  isExact: boolean;
}
