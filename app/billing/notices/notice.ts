import { isForever } from "../../entitlements/expiry.ts";
import { PLAN_NAMES, type Tier } from "../../entitlements/tiers.ts";
import type { Message } from "../../mail/message.ts";
import { formatDay, formatEnd } from "../../ui/format-day.ts";
import { type Site, supportAddress } from "../../ui/site.ts";
import { cardBrandName } from "../card-brand.server.ts";
import { formatMoney } from "../plans.ts";

/** Days are named in `timeZone`, by default UTC. `remaining` is held besides a paid plan. */
export interface Recipient {
  to: string;
  site: Site;
  timeZone?: string | null;
  remaining?: { tier: Tier; expiresAt: Date } | null;
}

/** `kind` and `subject` identify a mail, so that it is sent once. */
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
  /** Unique among notices of this kind: an invoice, a refund, or a subscription and a day of it. */
  subject: string;
  occurredAt: Date;
  write(recipient: Recipient): Message;
  invoiceId?: string;
  /** All refunds that end one subscription go into one mail. */
  ending?: { subscription: string; refund: RefundFacts };
}

export interface RefundFacts {
  plan: string;
  money: Money;
  paid: Money & { at: Date | null };
  number: string | null;
  card: KnownCard | null;
  access: "ended" | "goes_on";
  endsAt?: Date | null;
}

/** In minor units. */
export interface Money {
  amount: number;
  currency: string;
}

export interface KnownCard {
  brand: string;
  last4: string;
}

export function yourCard(card: KnownCard | null): string {
  if (!card) return "your card";
  return `your ${cardBrandName(card.brand)} ending in ${card.last4}`;
}

export function moneyOf({ amount, currency }: Money): string {
  return formatMoney(amount, currency);
}

export interface Taxed extends Money {
  tax: number;
}

export function moneyWithTax({ tax, ...money }: Taxed): string {
  return tax > 0 ? `${moneyOf(money)} (including ${formatMoney(tax, money.currency)} tax)` : moneyOf(money);
}

export function periodText({ start, end }: { start: Date; end: Date }, timeZone?: string | null): string {
  return `from ${formatDay(start, timeZone)} to ${formatDay(end, timeZone)}`;
}

/** For mails about the end of a paid plan; `null`: nothing remains. */
export function stillHave({ remaining, timeZone }: Recipient): string | null {
  if (!remaining) return null;
  const { tier, expiresAt } = remaining;
  const isEndless = isForever(expiresAt, new Date().getUTCFullYear());
  return `You still have ${PLAN_NAMES[tier]}${isEndless ? "" : ` until ${formatEnd(expiresAt, timeZone)}`}.`;
}

export const dashboardOf = ({ origin }: Site) => `${origin}/dashboard`;

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
