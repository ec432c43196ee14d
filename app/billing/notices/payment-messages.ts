import { buyingEarly } from "../../entitlements/features.ts";
import { type Message, supportNote } from "../../mail/message.ts";
import { formatDay, formatEnd } from "../../ui/format-day.ts";
import type { Site } from "../../ui/site.ts";
import { isolate } from "../../ui/typed-text.ts";
import { declineReason } from "../plan/decline-reason.server.ts";
import {
  dashboardOf,
  type KnownCard,
  type Money,
  moneyOf,
  moneyWithTax,
  type PlanFacts,
  planDay,
  planMail,
  type Recipient,
  type RefundFacts,
  stillHave,
  yourCard,
} from "./notice.ts";

interface InvoiceFacts extends PlanFacts {
  money: Money;
  number: string | null;
  hostedUrl: string | null;
  pdfUrl: string | null;
}

export interface ReceiptFacts extends InvoiceFacts {
  tax: number;
  reason: "first" | "renewal" | "change";
  period: { start: Date; end: Date } | null;
  isRecovered: boolean;
  next: (Money & { at: Date }) | null;
}

export function receiptMessage(facts: ReceiptFacts, recipient: Recipient): Message {
  const { plan, tier, money, tax, number, period, reason, isRecovered, next, hostedUrl, pdfUrl } = facts;
  const { timeZone, features } = recipient;
  const paidFor = {
    first: `for ${plan}`,
    renewal: `to renew ${plan}`,
    change: `for the change to ${plan}`,
  }[reason];
  const paid = moneyWithTax({ ...money, tax });
  const covered = period
    ? `, from ${formatDay(period.start, timeZone)} to ${formatDay(period.end, timeZone)}`
    : "";
  const invoice = number ? ` (invoice ${number})` : "";
  const mail = planMail(recipient, {
    subject: `Receipt: ${moneyOf(money)} for ${plan}`,
    paragraphs: [
      isRecovered
        ? `Your payment went through this time, and your plan continues. You paid ${paid} ${paidFor}${covered}${invoice}.`
        : `Thank you. You paid ${paid} ${paidFor}${covered}${invoice}.`,
      next
        ? `Your next payment is ${moneyOf(next)} on ${planDay(tier, next.at, recipient)}. You can cancel any time before then on your dashboard.`
        : "No further payment is planned.",
      buyingEarly(tier, features),
    ],
    ...(hostedUrl && { action: { label: "See the invoice", url: hostedUrl } }),
  });
  if (!pdfUrl) return mail;
  const pdf = { text: "For your records:", link: { label: "Invoice as PDF", url: pdfUrl } };
  return { ...mail, footnotes: [pdf, ...mail.footnotes] };
}

export interface FailureFacts extends InvoiceFacts {
  card: KnownCard | null;
  accessUntil: Date | null;
  isChange: boolean;
  nextAttemptAt: Date | null;
  declineCode: string | null;
}

export function paymentFailedMessage(facts: FailureFacts, recipient: Recipient): Message {
  const { plan, money, card, nextAttemptAt, hostedUrl } = facts;
  const { site, timeZone } = recipient;
  const reason = declineReason(facts.declineCode);
  return planMail(recipient, {
    subject: `Your payment for ${plan} didn’t go through`,
    paragraphs: [
      `We couldn’t charge ${moneyOf(money)} to ${yourCard(card)}. ${reason ? `${reason} ` : ""}${untilPaid(facts, timeZone)}`,
      nextAttemptAt
        ? `We’ll try again on ${formatEnd(nextAttemptAt, timeZone)}. Or pay now, with this card or another.`
        : "Pay now, with this card or another.",
    ],
    action: { label: "Pay now", url: hostedUrl ?? dashboardOf(site) },
  });
}

export function authenticationNeededMessage(facts: FailureFacts, recipient: Recipient): Message {
  const { plan, money, card, hostedUrl } = facts;
  const { site, timeZone } = recipient;
  return planMail(recipient, {
    subject: `Confirm your payment for ${plan}`,
    paragraphs: [
      `Your bank wants you to confirm a payment of ${moneyOf(money)} with ${yourCard(card)}. Until you do, nothing is charged.`,
      untilPaid(facts, timeZone),
    ],
    action: { label: "Confirm the payment", url: hostedUrl ?? dashboardOf(site) },
  });
}

function untilPaid({ plan, accessUntil, isChange }: FailureFacts, timeZone: string | null): string {
  if (isChange) return "Until it’s paid, your plan stays as it was.";
  if (accessUntil)
    return `${plan} stays on until ${formatEnd(accessUntil, timeZone)}, so you have time to fix it.`;
  return `${plan} is off until it’s paid.`;
}

export function refundMessage(facts: RefundFacts, recipient: Recipient): Message {
  const { plan, tier, money, paid, number, card, access, endsAt } = facts;
  const part = money.amount < paid.amount ? `${moneyOf(money)} of ` : "";
  const when = paid.at ? ` on ${formatDay(paid.at, recipient.timeZone)}` : "";
  const invoice = number ? ` (invoice ${number})` : "";
  return planMail(recipient, {
    subject: `We refunded ${moneyOf(money)}`,
    paragraphs: [
      `We refunded ${part}the ${moneyOf(paid)} you paid for ${plan}${when}${invoice} to ${yourCard(card)}. Banks usually take 5 to 10 business days to show it.`,
      access === "ended"
        ? endedWith(plan, recipient)
        : endsAt
          ? `${plan} stays on until ${planDay(tier, endsAt, recipient)}.`
          : `${plan} continues as before.`,
    ],
  });
}

/** @param refunds at least one, of one press */
export function refundsMessage(refunds: readonly RefundFacts[], recipient: Recipient): Message {
  const newest = refunds.reduce((one, other) => (timeOf(other) > timeOf(one) ? other : one));
  if (refunds.length === 1) return refundMessage(newest, recipient);
  const amount = refunds.reduce((total, refund) => total + refund.money.amount, 0);
  const sum = moneyOf({ ...newest.money, amount });
  return planMail(recipient, {
    subject: `We refunded ${sum}`,
    paragraphs: [
      `We refunded your ${refunds.length} payments, ${sum} in all, to the cards you paid with. Banks usually take 5 to 10 business days to show them, each on its own line.`,
      endedWith(newest.plan, recipient),
    ],
  });
}

export function creditMessage(money: Money, recipient: Recipient): Message {
  return planMail(recipient, {
    subject: `You have a credit of ${moneyOf(money)}`,
    paragraphs: [
      `We added a credit of ${moneyOf(money)} to your account. It comes off your next payments automatically, so there’s nothing you need to do.`,
    ],
  });
}

function endedWith(plan: string, recipient: Recipient): string {
  const remains = stillHave(recipient);
  const ended = `${remains ? "The plan you paid for" : plan} has ended, and you won’t be charged again.`;
  return `${ended} ${remains ?? "Nothing you saved is lost."}`;
}

function timeOf({ paid }: RefundFacts): number {
  return paid.at?.getTime() ?? 0;
}

export interface Declaration {
  name: string;
  email: string;
  planName: string;
  reference: string;
  declaredAt: Date;
}

/** To the second, as required of the receipt. */
const MOMENT = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeStyle: "long", timeZone: "UTC" });

/** The receipt of a withdrawal: its content, date and time (Directive 2011/83/EU, Article 11a). */
export function withdrawalMessage(declaration: Declaration, site: Site): Message {
  const { name, email, planName, reference, declaredAt } = declaration;
  return {
    to: email,
    subject: `Your withdrawal from ${planName}`,
    paragraphs: [
      `We received your withdrawal on ${MOMENT.format(declaredAt).replaceAll("\u202f", " ")}. This is your receipt.`,
      `${isolate(name)} withdraws from the contract with ${site.company ?? site.product} for the plan ${planName} (${reference}). Receipt to ${email}.`,
      "The plan ends now. You’ll get back everything you paid for it, the way you paid, within 14 days at the latest. You don’t need to do anything.",
    ],
    footnotes: [supportNote("Keep this email as proof. Questions? Email us:", site)],
  };
}

/** To the operator. @param payments ids at Stripe */
export function disputedRefundMessage(to: string, payments: readonly string[]): Message {
  return {
    to,
    subject: "Refund by hand if you win this dispute",
    paragraphs: [
      "A customer asked for a refund, then deleted their account while their bank was still deciding on a dispute. We no longer have any record of them here.",
      `If you win the dispute, refund the payment at Stripe: ${payments.join(", ")}.`,
    ],
    footnotes: [{ text: "If you lose it, they already have their money back and there’s nothing to do." }],
  };
}

/** To the operator. @param payments ids at Stripe */
export function returnedRefundMessage(to: string, payments: readonly string[]): Message {
  return {
    to,
    subject: "Refund a deleted account another way",
    paragraphs: [
      "A customer’s bank returned their refund, and they have deleted their account since. We still owe them the money, and we no longer have any record of them here.",
      `Ask them how they’d like to be paid. Stripe has their email address with the payment: ${payments.join(", ")}.`,
    ],
    footnotes: [],
  };
}
