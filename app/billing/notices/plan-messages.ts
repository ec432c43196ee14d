import { refundTerms } from "../../entitlements/features.ts";
import { FEATURE_NAMES, type Feature, PLAN_NAMES, type Tier } from "../../entitlements/tiers.ts";
import type { Message } from "../../mail/message.ts";
import { formatEnd } from "../../ui/format-day.ts";
import { REFUND_PROMISE_ONCE_OPEN } from "../../ui/offer.ts";
import type { Site } from "../../ui/site.ts";
import type { BillingInterval } from "../plans.ts";
import {
  dashboardOf,
  type KnownCard,
  type Money,
  moneyOf,
  moneyWithTax,
  type PlanFacts,
  planDay,
  planDayInShort,
  planMail,
  type Recipient,
  stillHave,
  type Taxed,
  yourCard,
} from "./notice.ts";

export interface CanceledFacts extends PlanFacts {
  endsAt: Date;
}

export function canceledMessage({ plan, tier, endsAt }: CanceledFacts, recipient: Recipient): Message {
  return planMail(recipient, {
    subject: `${plan} is canceled`,
    paragraphs: [
      `Your plan is canceled, and you won’t be charged again. It stays on until ${planDay(tier, endsAt, recipient)}. Nothing you saved is lost.`,
      "Changed your mind, or didn’t ask for this? You can undo it on your dashboard until then.",
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
    subject: `${plan} has ended`,
    paragraphs: [
      `${remains ? "The plan you paid for" : "Your plan"} ended on ${formatEnd(endedAt, recipient.timeZone)}, ${because}. You won’t be charged again, and nothing you saved is lost.`,
      remains ?? "You can come back any time: choose a plan and pick up where you left off.",
    ],
    action: { label: "See the plans", url: `${recipient.site.origin}/subscription` },
  });
}

export interface AccessEndFacts {
  tier: Tier;
  endsAt: Date;
  source: "promo" | "admin" | "paid";
  promoCode: string | null;
}

/** Three days before a plan ends, if no other follows it. */
export function accessEndsMessage(facts: AccessEndFacts, recipient: Recipient): Message {
  const { tier, endsAt, source, promoCode } = facts;
  const plan = PLAN_NAMES[tier];
  const day = planDay(tier, endsAt, recipient);
  const isPaid = source === "paid";
  const from = promoCode ? ` from promo code ${promoCode}` : "";
  return planMail(recipient, {
    subject: `${plan} ends on ${planDayInShort(tier, endsAt, recipient)}`,
    paragraphs: isPaid
      ? [
          `As you asked, ${plan} ends on ${day}. You won’t be charged again, and nothing you saved is lost.`,
          "To keep it, undo the cancellation on your dashboard before then.",
        ]
      : [
          `Your free plan${from} ends on ${day}. Nothing is charged, and nothing you saved is lost.`,
          "Choose a plan to continue.",
        ],
    action: isPaid
      ? { label: "Keep your plan", url: dashboardOf(recipient.site) }
      : { label: "See the plans", url: `${recipient.site.origin}/subscription` },
  });
}

export interface PaymentAheadFacts extends PlanFacts {
  money: Money;
  at: Date;
  card: KnownCard | null;
}

interface RenewalFacts extends PaymentAheadFacts {
  interval: BillingInterval;
}

/** 14 days before a yearly plan renews, and 7 days before a monthly one whose renewal was moved by `giveDays`. */
export function renewalMessage(facts: RenewalFacts, recipient: Recipient): Message {
  const { plan, tier, money, at, card, interval } = facts;
  return planMail(recipient, {
    subject: `${plan} renews on ${planDayInShort(tier, at, recipient)}`,
    paragraphs: [
      `Your ${interval}ly plan renews on ${planDay(tier, at, recipient)}. We’ll charge ${moneyOf(money)} to ${yourCard(card)}.`,
      `Don’t want another ${interval}? Cancel on your dashboard before then, and nothing is charged. ${refundTerms(tier, recipient.features)}`,
    ],
    action: { label: "Review or cancel", url: dashboardOf(recipient.site) },
  });
}

/** 7 days before a free trial becomes a paid plan, as card networks require. */
export function trialEndsMessage(facts: RenewalFacts, recipient: Recipient): Message {
  const { plan, tier, money, at, card, interval } = facts;
  return planMail(recipient, {
    subject: `Your free trial of ${plan} ends on ${planDayInShort(tier, at, recipient)}`,
    paragraphs: [
      `Your free trial ends on ${planDay(tier, at, recipient)}. Then your paid plan starts: we’ll charge ${moneyOf(money)} to ${yourCard(card)}, and again every ${interval}.`,
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
  const { plan, tier, money, at, card, expires } = facts;
  return planMail(recipient, {
    subject: "Your card expires before your next payment",
    paragraphs: [
      `Your next payment for ${plan} is ${moneyOf(money)} on ${planDay(tier, at, recipient)}. By then, ${yourCard(card)} will have expired (${String(expires.month).padStart(2, "0")}/${expires.year}).`,
      "Add your new card on your dashboard, and your plan continues without a break.",
    ],
    action: { label: "Update your card", url: dashboardOf(recipient.site) },
  });
}

export interface PlanChangeFacts {
  from: string;
  to: string;
  /** Of the plan until the next payment. */
  tier: Tier;
  startsAt: Date | null;
  /** Charged at once; nothing if it is 0 or less. */
  due: Taxed;
  next: Taxed & { at: Date };
}

export function planChangeMessage(facts: PlanChangeFacts, recipient: Recipient): Message {
  const { from, to, tier, startsAt, due, next } = facts;
  const today =
    due.amount > 0
      ? `We’re charging ${moneyWithTax(due)} today, after credit for what’s left of ${from}.`
      : "Nothing is charged today.";
  return planMail(recipient, {
    subject: `Your plan changes to ${to}${startsAt ? ` on ${planDayInShort(tier, startsAt, recipient)}` : ""}`,
    paragraphs: [
      ...(startsAt
        ? [
            `As you asked, ${from} changes to ${to} on ${planDay(tier, startsAt, recipient)}. ${today}`,
            `Your next payment, on that day, is ${moneyWithTax(next)}.`,
          ]
        : [
            `As you asked, we’re changing ${from} to ${to}. ${today}`,
            `Your next payment is ${moneyWithTax(next)} on ${planDay(tier, next.at, recipient)}.`,
          ]),
      "Didn’t ask for this? Just reply to this email.",
    ],
  });
}

/** Sent when a saved change cannot be made. */
export function changeRefusedMessage(to: string, site: Site): Message {
  return planMail(
    { to, site },
    {
      subject: "We couldn’t change your plan",
      paragraphs: [
        "You asked to change your plan while we couldn’t reach our payment provider. It has refused the change since, so your plan stays as it was. Nothing was charged.",
        "You can see your plan on your dashboard, and ask for the change again there.",
      ],
    },
  );
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
            `The time before it opened was free: we’ve added the ${daysText(grant.days)} you waited, and your free plan now ends on ${formatEnd(grant.endsAt, recipient.timeZone)}.`,
          ]
        : []),
      ...(changesRefund
        ? [`It’s your plan’s first feature to open, so new refund terms apply. ${REFUND_PROMISE_ONCE_OPEN}`]
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
        ? `${waited} Your next payment of ${moneyOf(next.money)} moves to ${formatEnd(next.at, recipient.timeZone)}. Nothing is charged until then. Stripe’s invoice for these days says ${moneyOf({ ...next.money, amount: 0 })} and calls them a trial.`
        : `${waited} Your plan now ends on ${formatEnd(endsAt, recipient.timeZone)}, and you won’t be charged again.`,
      "There’s nothing you need to do.",
    ],
  });
}
