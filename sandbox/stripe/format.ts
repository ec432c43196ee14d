import type Stripe from "stripe";

/** https://docs.stripe.com/currencies: amounts in whole units, and in thousandths; all others are in hundredths. */
const WITHOUT_DECIMALS = new Set("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "));
const WITH_THREE_DECIMALS = new Set("bhd jod kwd omr tnd".split(" "));

/** `formatAmount(4999, "usd")` → `$49.99`: from minor units of the currency, in US notation. */
export function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.format(amount / 10 ** decimalsOf(currency.toLowerCase()));
}

function decimalsOf(currency: string): number {
  if (WITHOUT_DECIMALS.has(currency)) return 0;
  return WITH_THREE_DECIMALS.has(currency) ? 3 : 2;
}

/** `per year`, or `every 3 months` */
export function formatInterval({ interval, interval_count }: Stripe.Price.Recurring): string {
  return interval_count === 1 ? `per ${interval}` : `every ${interval_count} ${interval}s`;
}

/** `November 21, 2026`, in UTC, from unix seconds. */
export function formatDate(seconds: number): string {
  const format = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
  return format.format(seconds * 1000);
}
