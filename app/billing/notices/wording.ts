import type { Message } from "../../mail/message.ts";
import { formatDay } from "../../ui/format-day.ts";
import { type Site, supportAddress } from "../../ui/site.ts";
import { formatMoney } from "../plans.ts";
import type { KnownCard, Money } from "./facts.ts";

/** Stripe's names of card brands that are not simply capitalised (https://docs.stripe.com/api/payment_methods/object). */
const BRAND_NAMES: Record<string, string> = {
  amex: "American Express",
  cartes_bancaires: "Cartes Bancaires",
  diners: "Diners Club",
  eftpos_au: "eftpos",
  jcb: "JCB",
  mastercard: "Mastercard",
  unionpay: "UnionPay",
  unknown: "card",
};

/** "your Visa ending in 4242", or "your card" when it is not known. */
export function yourCard(card: KnownCard | null): string {
  if (!card) return "your card";
  const name = BRAND_NAMES[card.brand] ?? card.brand.charAt(0).toUpperCase() + card.brand.slice(1);
  return `your ${name} ending in ${card.last4}`;
}

export function moneyOf({ amount, currency }: Money): string {
  return formatMoney(amount, currency);
}

/** "from November 1, 2026 to December 1, 2026" */
export function periodText({ start, end }: { start: Date; end: Date }, timeZone?: string | null): string {
  return `from ${formatDay(start, timeZone)} to ${formatDay(end, timeZone)}`;
}

export const dashboardOf = ({ origin }: Site) => `${origin}/dashboard`;

/** The last lines of each of these mails. */
export function footnote(site: Site): Message["footnotes"][number] {
  return {
    text: `You’re getting this email because it’s about your plan. Need help? Email ${supportAddress(site)}.`,
  };
}
