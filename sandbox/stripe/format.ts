import type Stripe from "stripe";

/** `formatAmount(4999, "usd")` → `$49.99`: from minor units of the currency, in US notation. */
export function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** `year`, or `3 months` */
export function intervalName(recurring: Stripe.Price.Recurring | null): string {
  const { interval = "once", interval_count = 1 } = recurring ?? {};
  return interval_count === 1 ? interval : `${interval_count} ${interval}s`;
}

/** `November 21, 2026`, in UTC, from unix seconds. */
export function formatDate(seconds: number): string {
  const format = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
  return format.format(seconds * 1000);
}
