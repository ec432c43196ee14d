import type { Message } from "../../mail/message.ts";
import { formatDay, formatEnd } from "../../ui/format-day.ts";
import { REFUND_PROMISE, WAITING_PROMISE } from "../../ui/offer.ts";
import { type Site, supportAddress, supportUrl } from "../../ui/site.ts";
import { isolate } from "../../ui/typed-text.ts";
import { declineReason } from "../plan/decline-reason.server.ts";
import {
  dashboardOf,
  type KnownCard,
  type Money,
  moneyOf,
  moneyWithTax,
  periodText,
  planMail,
  type Recipient,
  type RefundFacts,
  stillHave,
  yourCard,
} from "./notice.ts";

interface InvoiceFacts {
  plan: string;
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
  const { plan, money, tax, number, period, reason, isRecovered, next, hostedUrl, pdfUrl } = facts;
  const { timeZone } = recipient;
  const paidFor = {
    first: `for ${plan}`,
    renewal: `to renew ${plan}`,
    change: `for the change to ${plan}`,
  }[reason];
  const paid = moneyWithTax({ ...money, tax });
  const covered = period ? `, ${periodText(period, timeZone)}` : "";
  const mail = planMail(recipient, {
    subject: `Receipt: ${moneyOf(money)} for ${plan}`,
    paragraphs: [
      isRecovered
        ? `Your payment has gone through after all, and your plan goes on. You paid ${paid} ${paidFor}${covered}.`
        : `Thank you. You paid ${paid} ${paidFor}${covered}.`,
      ...(number ? [`Your invoice is number ${number}.`] : []),
      next
        ? `Your next payment is ${moneyOf(next)} on ${formatEnd(next.at, timeZone)}. You can cancel any time before then on your dashboard.`
        : "No further payment is planned.",
      `${WAITING_PROMISE} ${REFUND_PROMISE}`,
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
        ? `We’ll try again on ${formatEnd(nextAttemptAt, timeZone)}. To pay now, or with another card, use the button below.`
        : "To pay now, or with another card, use the button below.",
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

function untilPaid({ plan, accessUntil, isChange }: FailureFacts, timeZone?: string | null): string {
  if (isChange) return "Until it’s paid, your plan stays as it was.";
  if (accessUntil)
    return `${plan} stays on until ${formatEnd(accessUntil, timeZone)}, so you have time to fix it.`;
  return `${plan} is off until it’s paid.`;
}

export function refundMessage(facts: RefundFacts, recipient: Recipient): Message {
  const { plan, money, paid, number, card, access, endsAt } = facts;
  const whole = money.amount >= paid.amount;
  const payment = `${whole ? "your" : `part of your ${moneyOf(paid)}`} payment for ${plan}`;
  const when = paid.at ? ` of ${formatDay(paid.at, recipient.timeZone)}` : "";
  return planMail(recipient, {
    subject: `We refunded ${moneyOf(money)}`,
    paragraphs: [
      `We refunded ${payment}${when}${number ? ` (invoice ${number})` : ""}: ${moneyOf(money)}, to ${yourCard(card)}. Banks usually take 5 to 10 business days to show it.`,
      access === "ended"
        ? endedWith(plan, recipient)
        : endsAt
          ? `${plan} stays on until ${formatEnd(endsAt, recipient.timeZone)}.`
          : `${plan} goes on as before.`,
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
      `We refunded your ${refunds.length} payments, ${sum} together, to the cards you paid with. Banks usually take 5 to 10 business days to show them, each on a line of its own.`,
      endedWith(newest.plan, recipient),
    ],
  });
}

export function creditMessage(money: Money, recipient: Recipient): Message {
  return planMail(recipient, {
    subject: `You have a credit of ${moneyOf(money)}`,
    paragraphs: [
      `We added ${moneyOf(money)} to your account. It’s taken off your next payments automatically, so there’s nothing to do.`,
    ],
  });
}

function endedWith(plan: string, recipient: Recipient): string {
  const remains = stillHave(recipient);
  const ended = `${remains ? "The plan you paid for" : plan} has ended with it, and you won’t be charged again.`;
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
      "The plan ends now. You get back everything you paid for it, the way you paid, within 14 days at the latest. You don’t need to do anything.",
    ],
    footnotes: [
      {
        text: "Keep this email as proof. Questions? Email us:",
        link: { label: supportAddress(site), url: supportUrl(site) },
      },
    ],
  };
}

/** To the operator. @param payments ids at Stripe */
export function disputedRefundMessage(to: string, payments: readonly string[]): Message {
  return {
    to,
    subject: "A refund to pay by hand, if its dispute is won",
    paragraphs: [
      "An account was deleted whose owner had asked for their money back while their bank decides about the payment. Nothing here knows them any more.",
      `If you win the dispute, refund the payment at Stripe: ${payments.join(", ")}.`,
    ],
    footnotes: [{ text: "If the bank keeps the money with them, there is nothing to do." }],
  };
}

/** To the operator. @param payments ids at Stripe */
export function returnedRefundMessage(to: string, payments: readonly string[]): Message {
  return {
    to,
    subject: "A refund to pay in another way",
    paragraphs: [
      "An account was deleted whose owner is owed a refund: their bank sent it back. Nothing here knows them any more.",
      `Ask them how to pay them: Stripe has their email address with the payment, ${payments.join(", ")}.`,
    ],
    footnotes: [],
  };
}
