import type { Message } from "../../mail/message.ts";
import { formatDay } from "../../ui/format-day.ts";
import { type Site, supportAddress } from "../../ui/site.ts";
import { cardBrandName } from "../card-brand.server.ts";
import { formatMoney } from "../plans.ts";

/** The recipient of a mail, and the zone its days are named in (UTC unless known). */
export interface Recipient {
  to: string;
  site: Site;
  timeZone?: string | null;
}

/** A mail about a plan. `kind` and `subject` identify it, so that it is sent once. */
export interface Notice {
  kind:
    | "receipt"
    | "payment_failed"
    | "authentication_needed"
    | "canceled"
    | "credited"
    | "ended"
    | "refunded"
    | "card_expires"
    | "access_ends"
    | "renewal"
    | "trial_ends"
    | "days_given";
  /** An invoice, a refund, or a subscription and a day of it: unique among notices of this kind. */
  subject: string;
  occurredAt: Date;
  write(recipient: Recipient): Message;
  /** The invoice that a refund is of. */
  invoiceId?: string;
  /** For a refund that ended a subscription: all refunds of one subscription go into one mail. */
  ending?: { subscription: string; refund: RefundFacts };
}

export interface PaidBack {
  id: string;
  invoiceId: string;
  amount: number;
  createdAt: Date;
  endsPlan: boolean;
}

export interface RefundFacts {
  plan: string;
  money: Money;
  paid: Money & { at: Date | null };
  number: string | null;
  card: KnownCard | null;
  access: "ended" | "goes_on";
  /** When its plan ends, if that is known. */
  endsAt?: Date | null;
}

/** An amount in minor units of a currency. */
export interface Money {
  amount: number;
  currency: string;
}

/** A card as its owner recognizes it: all that Stripe tells us. */
export interface KnownCard {
  brand: string;
  last4: string;
}

/** "your Visa ending in 4242", or "your card" when it is not known. */
export function yourCard(card: KnownCard | null): string {
  if (!card) return "your card";
  return `your ${cardBrandName(card.brand)} ending in ${card.last4}`;
}

export function moneyOf({ amount, currency }: Money): string {
  return formatMoney(amount, currency);
}

/** An amount with the tax in it. */
export interface Taxed extends Money {
  tax: number;
}

/** "$5.41 (including $0.42 tax)", or the amount alone. */
export function moneyWithTax({ tax, ...money }: Taxed): string {
  return tax > 0 ? `${moneyOf(money)} (including ${formatMoney(tax, money.currency)} tax)` : moneyOf(money);
}

/** "from November 1, 2026 to December 1, 2026" */
export function periodText({ start, end }: { start: Date; end: Date }, timeZone?: string | null): string {
  return `from ${formatDay(start, timeZone)} to ${formatDay(end, timeZone)}`;
}

export const dashboardOf = ({ origin }: Site) => `${origin}/dashboard`;

/** A mail about a plan. Its button leads to the dashboard by default. */
export const planMail = (
  { to, site }: Recipient,
  mail: Pick<Message, "subject" | "paragraphs" | "action">,
): Message => ({
  to,
  action: { label: "Open your dashboard", url: dashboardOf(site) },
  ...mail,
  footnotes: [
    {
      text: `You’re getting this email because it’s about your plan. Need help? Email ${supportAddress(site)}.`,
    },
  ],
});
