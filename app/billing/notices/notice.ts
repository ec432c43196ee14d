import { isForever } from "../../entitlements/expiry.ts";
import { addedDays, endInWords, type FeatureStates } from "../../entitlements/features.ts";
import { PLAN_NAMES, type Tier } from "../../entitlements/tiers.ts";
import { type Message, supportNote } from "../../mail/message.ts";
import { formatEnd } from "../../ui/format-day.ts";
import type { Site } from "../../ui/site.ts";
import { cardBrandName } from "../card-brand.server.ts";
import { formatMoney } from "../plans.ts";

/** As read when the mail is written (recipient.server.ts). Days are named in `timeZone`. */
export interface Recipient {
  to: string;
  site: Site;
  /** `null`: UTC. */
  timeZone: string | null;
  features: FeatureStates;
  /** What they hold besides a paid plan; `null`: nothing. */
  remaining: { tier: Tier; expiresAt: Date } | null;
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
  /** `mails.about` of those that Stripe's state is enough to write anew. */
  about?: string;
  occurredAt: Date;
  write(recipient: Recipient): Message;
  invoiceId?: string;
  /** All refunds that end one subscription go into one mail. */
  ending?: { subscription: string; refund: RefundFacts };
}

export interface RefundFacts extends PlanFacts {
  money: Money;
  paid: Money & { at: Date | null };
  number: string | null;
  card: KnownCard | null;
  access: "ended" | "goes_on";
  endsAt?: Date | null;
}

/** `tier`: as bought; `null`: unknown, so its days are named without those that will be added. */
export interface PlanFacts {
  plan: string;
  tier: Tier | null;
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

/** When a plan ends or renews: as on the pages, with the days that its first feature's opening will add. */
export function planDay(tier: Tier | null, day: Date, { features, timeZone }: Recipient): string {
  return tier ? endInWords(tier, features, day, timeZone) : formatEnd(day, timeZone);
}

/** The same in a subject, which has no room for them. */
export function planDayInShort(tier: Tier | null, day: Date, { features, timeZone }: Recipient): string {
  const isMovable = tier !== null && addedDays(tier, features, day) !== "";
  return `${formatEnd(day, timeZone)}${isMovable ? ", or later" : ""}`;
}

/** For mails about the end of a paid plan; `null`: nothing remains. */
export function stillHave(recipient: Recipient): string | null {
  if (!recipient.remaining) return null;
  const { tier, expiresAt } = recipient.remaining;
  const isEndless = isForever(expiresAt, new Date().getUTCFullYear());
  return `You still have ${PLAN_NAMES[tier]}${isEndless ? "" : ` until ${planDay(tier, expiresAt, recipient)}`}.`;
}

export const dashboardOf = ({ origin }: Site) => `${origin}/dashboard`;

export const planMail = (
  { to, site }: Pick<Recipient, "to" | "site">,
  mail: Pick<Message, "subject" | "paragraphs" | "action">,
): Message => ({
  to,
  action: { label: "Open your dashboard", url: dashboardOf(site) },
  ...mail,
  footnotes: [
    supportNote("You’re getting this email because it’s about your plan. Need help? Email us:", site),
  ],
});
