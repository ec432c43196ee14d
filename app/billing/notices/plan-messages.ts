import { FEATURE_NAMES, type Feature } from "../../entitlements/tiers.ts";
import type { Message } from "../../mail/message.ts";
import { formatEnd } from "../../ui/format-day.ts";
import { REFUND_PROMISE, REFUND_PROMISE_ONCE_OPEN } from "../../ui/offer.ts";
import { type Site, supportAddress } from "../../ui/site.ts";
import type { BillingInterval } from "../plans.ts";
import {
  dashboardOf,
  type KnownCard,
  type Money,
  moneyOf,
  moneyWithTax,
  planMail,
  type Recipient,
  stillHave,
  type Taxed,
  yourCard,
} from "./notice.ts";

export function canceledMessage(
  { plan, endsAt }: { plan: string; endsAt: Date },
  recipient: Recipient,
): Message {
  return planMail(recipient, {
    subject: `${plan} is canceled`,
    paragraphs: [
      `You won’t be charged again. ${plan} stays on until ${formatEnd(endsAt, recipient.timeZone)}, then it ends. Nothing you saved is lost.`,
      "Changed your mind, or wasn’t it you? You can undo this on your dashboard until then.",
    ],
    action: { label: "Keep your plan", url: dashboardOf(recipient.site) },
  });
}

export interface EndFacts {
  plan: string;
  endedAt: Date;
  why: "payment_failed" | "payment_disputed" | "canceled";
}

/** Sent when a plan ends at once, or because it was not paid. */
export function endedMessage({ plan, endedAt, why }: EndFacts, recipient: Recipient): Message {
  const because = {
    payment_failed: "because we couldn’t collect the payment",
    payment_disputed: "because its payment was disputed at your bank",
    canceled: "because it was canceled",
  }[why];
  const remains = stillHave(recipient);
  return planMail(recipient, {
    // The same at every time: a mail is sent again by its subject.
    subject: `${plan} has ended`,
    paragraphs: [
      `${remains ? "The plan you paid for" : "Your plan"} ended on ${formatEnd(endedAt, recipient.timeZone)}, ${because}. You won’t be charged again, and nothing you saved is lost.`,
      remains ?? "You can come back any time: choose a plan and pick up where you left off.",
    ],
    action: { label: "See the plans", url: `${recipient.site.origin}/subscription` },
  });
}

export interface AccessEndFacts {
  plan: string;
  endsAt: Date;
  source: "promo" | "admin" | "paid";
  promoCode: string | null;
}

/** Three days before a plan ends, if no other follows it. */
export function accessEndsMessage(facts: AccessEndFacts, recipient: Recipient): Message {
  const { plan, endsAt, source, promoCode } = facts;
  const isPaid = source === "paid";
  const from = promoCode ? ` from promo code ${promoCode}` : "";
  return planMail(recipient, {
    subject: `${plan} ends on ${formatEnd(endsAt, recipient.timeZone)}`,
    paragraphs: isPaid
      ? [
          `As you asked, ${plan} ends on ${formatEnd(endsAt, recipient.timeZone)}. You won’t be charged again, and nothing you saved is lost.`,
          "To keep it, undo the cancellation on your dashboard before then.",
        ]
      : [
          `Your free plan${from} ends on ${formatEnd(endsAt, recipient.timeZone)}. Nothing is charged, and nothing you saved is lost.`,
          "Choose a plan to continue.",
        ],
    action: isPaid
      ? { label: "Keep your plan", url: dashboardOf(recipient.site) }
      : { label: "See the plans", url: `${recipient.site.origin}/subscription` },
  });
}

export interface PaymentAheadFacts {
  plan: string;
  money: Money;
  at: Date;
  card: KnownCard | null;
}

interface RenewalFacts extends PaymentAheadFacts {
  interval: BillingInterval;
}

/** 14 days before a yearly plan renews, and 7 days before a monthly one whose renewal was moved by `giveDays`. */
export function renewalMessage(facts: RenewalFacts, recipient: Recipient): Message {
  const { plan, money, at, card, interval } = facts;
  return planMail(recipient, {
    subject: `${plan} renews on ${formatEnd(at, recipient.timeZone)}`,
    paragraphs: [
      `Your ${interval}ly plan renews on ${formatEnd(at, recipient.timeZone)}. We’ll charge ${moneyOf(money)} to ${yourCard(card)}.`,
      `Don’t want another ${interval}? Cancel on your dashboard before then, and nothing is charged. ${REFUND_PROMISE}`,
    ],
    action: { label: "Review or cancel", url: dashboardOf(recipient.site) },
  });
}

/** 7 days before a free trial becomes a paid plan, as card networks require. */
export function trialEndsMessage(facts: RenewalFacts, recipient: Recipient): Message {
  const { plan, money, at, card, interval } = facts;
  return planMail(recipient, {
    subject: `Your free trial of ${plan} ends on ${formatEnd(at, recipient.timeZone)}`,
    paragraphs: [
      `Then your paid plan starts: on ${formatEnd(at, recipient.timeZone)} we’ll charge ${moneyOf(money)} to ${yourCard(card)}, and again every ${interval}.`,
      "Don’t want it? Cancel on your dashboard before then, and nothing is charged.",
    ],
    action: { label: "Review or cancel", url: dashboardOf(recipient.site) },
  });
}

export interface CardExpiryFacts extends PaymentAheadFacts {
  expires: { month: number; year: number };
}

/** In the month before a payment that the card is too old for. */
export function cardExpiresMessage(facts: CardExpiryFacts, recipient: Recipient): Message {
  const { plan, money, at, card, expires } = facts;
  return planMail(recipient, {
    subject: "Your card expires before your next payment",
    paragraphs: [
      `Your next payment for ${plan} is ${moneyOf(money)} on ${formatEnd(at, recipient.timeZone)}. By then ${yourCard(card)} will have expired (${String(expires.month).padStart(2, "0")}/${expires.year}).`,
      "Add your new card on the dashboard, and your plan goes on without a break.",
    ],
    action: { label: "Update your card", url: dashboardOf(recipient.site) },
  });
}

export interface PlanChangeFacts {
  from: string;
  to: string;
  startsAt: Date | null;
  /** Charged at once; nothing if it is 0 or less. */
  due: Taxed;
  next: Taxed & { at: Date };
}

export function planChangeMessage(facts: PlanChangeFacts, recipient: Recipient): Message {
  const { from, to, startsAt, due, next } = facts;
  const on = (at: Date) => formatEnd(at, recipient.timeZone);
  return planMail(recipient, {
    subject: startsAt ? `Your plan changes to ${to} on ${on(startsAt)}` : `Your plan changes to ${to}`,
    paragraphs: [
      startsAt
        ? `As you asked, ${to} follows ${from} on ${on(startsAt)}. Nothing is charged today.`
        : `As you asked, we’re changing ${from} to ${to}. ${due.amount > 0 ? `We charge ${moneyWithTax(due)} today, with what is left of ${from} taken off.` : "Nothing is charged today."}`,
      `Your next payment is ${moneyWithTax(next)} on ${on(next.at)}. Wasn’t it you? Reply to this email.`,
    ],
  });
}

/** Sent when a saved change cannot be made. */
export function changeRefusedMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "We couldn’t change your plan",
    paragraphs: [
      "You asked us to change your plan while our payment provider was out of reach. It has refused the change since, so your plan is as it was. Nothing was charged.",
      "Your dashboard shows what you have. You can ask for the change again there.",
    ],
    action: { label: "Open your dashboard", url: `${site.origin}/dashboard` },
    footnotes: [{ text: `Need help? Email ${supportAddress(site)}.` }],
  };
}

interface FeatureOpenFacts {
  feature: Feature;
  /** It is the first feature of their plan to open, which ends the longer refund promise. */
  changesRefund: boolean;
  grant: { days: number; endsAt: Date } | null;
}

export function featureOpenMessage(
  { feature, changesRefund, grant }: FeatureOpenFacts,
  recipient: Recipient,
): Message {
  const name = FEATURE_NAMES[feature];
  return planMail(recipient, {
    subject: `${name} is open`,
    paragraphs: [
      `${name} is now open in your account. It’s part of your plan, so there’s nothing to buy and nothing to switch on.`,
      ...(grant
        ? [
            `The time before it opened was free: we’ve added the ${daysText(grant.days)} you waited, and your plan now ends on ${formatEnd(grant.endsAt, recipient.timeZone)}.`,
          ]
        : []),
      ...(changesRefund
        ? [
            `It’s the first feature of your plan to open, so this is the refund that applies from now on: ${REFUND_PROMISE_ONCE_OPEN}`,
          ]
        : []),
    ],
  });
}

const daysText = (days: number) => `${days} ${days === 1 ? "day" : "days"}`;

export interface DaysGivenFacts {
  plan: string;
  days: number;
  next: { money: Money; at: Date } | null;
  endsAt: Date;
}

/** Sent once a subscription's next payment was moved, because its plan's first feature opened. */
export function daysGivenMessage(
  { plan, days, next, endsAt }: DaysGivenFacts,
  recipient: Recipient,
): Message {
  const waited = `The time before ${plan}’s first feature opened was free, so we’ve added the ${daysText(days)} you waited.`;
  return planMail(recipient, {
    subject: `We’ve added ${daysText(days)} to ${plan}`,
    paragraphs: [
      next
        ? `${waited} Your next payment of ${moneyOf(next.money)} moves to ${formatEnd(next.at, recipient.timeZone)}. Until then nothing is charged; Stripe’s invoice for this time says zero, and calls it a trial.`
        : `${waited} Your plan now ends on ${formatEnd(endsAt, recipient.timeZone)}, and you won’t be charged again.`,
      "There’s nothing for you to do.",
    ],
  });
}
