import type { Message } from "../../mail/message.ts";
import { formatDay, formatEnd } from "../../ui/format-day.ts";
import { REFUND_PROMISE } from "../../ui/offer.ts";
import type { Site } from "../../ui/site.ts";
import type { KnownCard, Money, RefundFacts } from "./facts.ts";
import { dashboardOf, footnote, moneyOf, periodText, yourCard } from "./wording.ts";

/** What the mails about a payment say of its invoice. */
interface InvoiceFacts {
  /** The plan's name. */
  plan: string;
  /** What was or is to be paid. */
  money: Money;
  /** As printed on it; `null` while it is a draft. */
  number: string | null;
  hostedUrl: string | null;
  pdfUrl: string | null;
}

export interface ReceiptFacts extends InvoiceFacts {
  reason: "first" | "renewal" | "change";
  period: { start: Date; end: Date } | null;
  /** Whether an earlier try failed. */
  isRecovered: boolean;
  /** `null` when nothing more is charged. */
  next: (Money & { at: Date }) | null;
}

/** For the first payment and each later one. */
export function receiptMessage(
  to: string,
  facts: ReceiptFacts,
  site: Site,
  timeZone?: string | null,
): Message {
  const { plan, money, number, period, reason, isRecovered, next, hostedUrl, pdfUrl } = facts;
  const paidFor = {
    first: `for ${plan}`,
    renewal: `to renew ${plan}`,
    change: `for the change to ${plan}`,
  }[reason];
  const covered = period ? `, ${periodText(period, timeZone)}` : "";
  return {
    to,
    subject: `Receipt: ${moneyOf(money)} for ${plan}`,
    paragraphs: [
      isRecovered
        ? `Your payment has gone through after all, and your plan goes on. You paid ${moneyOf(money)} ${paidFor}${covered}.`
        : `Thank you. You paid ${moneyOf(money)} ${paidFor}${covered}.`,
      ...(number ? [`Your invoice is number ${number}.`] : []),
      next
        ? `Your next payment is ${moneyOf(next)} on ${formatEnd(next.at, timeZone)}. You can cancel any time before then on your dashboard.`
        : "No further payment is planned.",
      REFUND_PROMISE,
    ],
    action: hostedUrl
      ? { label: "See the invoice", url: hostedUrl }
      : { label: "Open your dashboard", url: dashboardOf(site) },
    footnotes: [
      ...(pdfUrl ? [{ text: "For your records:", link: { label: "Invoice as PDF", url: pdfUrl } }] : []),
      footnote(site),
    ],
  };
}

export interface FailureFacts extends InvoiceFacts {
  card: KnownCard | null;
  /** Until when the plan goes on without it; `null` when it gives nothing now. */
  accessUntil: Date | null;
  /** Whether it was to pay for a change, without which the plan stays as it is. */
  isChange: boolean;
  nextAttemptAt: Date | null;
}

/** Sent when a payment is declined for the first time. */
export function paymentFailedMessage(
  to: string,
  facts: FailureFacts,
  site: Site,
  timeZone?: string | null,
): Message {
  const { plan, money, card, nextAttemptAt, hostedUrl } = facts;
  return {
    to,
    subject: `Your payment for ${plan} didn’t go through`,
    paragraphs: [
      `We couldn’t charge ${moneyOf(money)} to ${yourCard(card)}. ${untilPaid(facts, timeZone)}`,
      nextAttemptAt
        ? `We’ll try again on ${formatEnd(nextAttemptAt, timeZone)}. To pay now, or with another card, use the button below.`
        : "To pay now, or with another card, use the button below.",
    ],
    action: { label: "Pay now", url: hostedUrl ?? dashboardOf(site) },
    footnotes: [footnote(site)],
  };
}

/** Sent when the bank wants to hear from the customer before it pays. */
export function authenticationNeededMessage(
  to: string,
  facts: FailureFacts,
  site: Site,
  timeZone?: string | null,
): Message {
  const { plan, money, card, hostedUrl } = facts;
  return {
    to,
    subject: `Confirm your payment for ${plan}`,
    paragraphs: [
      `Your bank wants you to confirm a payment of ${moneyOf(money)} with ${yourCard(card)}. Until you do, nothing is charged.`,
      untilPaid(facts, timeZone),
    ],
    action: { label: "Confirm the payment", url: hostedUrl ?? dashboardOf(site) },
    footnotes: [footnote(site)],
  };
}

function untilPaid({ plan, accessUntil, isChange }: FailureFacts, timeZone?: string | null): string {
  if (isChange) return "Until it’s paid, your plan stays as it was.";
  if (accessUntil)
    return `${plan} stays on until ${formatEnd(accessUntil, timeZone)}, so you have time to fix it.`;
  return `${plan} is off until it’s paid.`;
}

export function refundMessage(to: string, facts: RefundFacts, site: Site, timeZone?: string | null): Message {
  const { plan, money, paid, number, card, access } = facts;
  const whole = money.amount >= paid.amount;
  const payment = `${whole ? "your" : `part of your ${moneyOf(paid)}`} payment for ${plan}`;
  const when = paid.at ? ` of ${formatDay(paid.at, timeZone)}` : "";
  return {
    to,
    subject: `We refunded ${moneyOf(money)}`,
    paragraphs: [
      `We refunded ${payment}${when}${number ? ` (invoice ${number})` : ""}: ${moneyOf(money)}, to ${yourCard(card)}. Banks usually take 5 to 10 business days to show it.`,
      access === "ended"
        ? `${plan} has ended with it, and you won’t be charged again. Nothing you saved is lost.`
        : `${plan} goes on as before.`,
    ],
    action: { label: "Open your dashboard", url: dashboardOf(site) },
    footnotes: [footnote(site)],
  };
}

/**
 * The refunds of one press, which ended the plan.
 *
 * @param refunds at least one
 */
export function refundsMessage(
  to: string,
  refunds: readonly RefundFacts[],
  site: Site,
  timeZone?: string | null,
): Message {
  const newest = refunds.reduce((one, other) => (timeOf(other) > timeOf(one) ? other : one));
  if (refunds.length === 1) return refundMessage(to, newest, site, timeZone);
  const { plan, money } = newest;
  const amount = refunds.reduce((total, refund) => total + refund.money.amount, 0);
  const sum = moneyOf({ ...money, amount });
  return {
    to,
    subject: `We refunded ${sum}`,
    paragraphs: [
      `We refunded your ${refunds.length} payments, ${sum} together, to the cards you paid with. Banks usually take 5 to 10 business days to show them, each on a line of its own.`,
      `${plan} has ended with it, and you won’t be charged again. Nothing you saved is lost.`,
    ],
    action: { label: "Open your dashboard", url: dashboardOf(site) },
    footnotes: [footnote(site)],
  };
}

function timeOf({ paid }: RefundFacts): number {
  return paid.at?.getTime() ?? 0;
}
