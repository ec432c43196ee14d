import * as accounts from "../../auth/messages.ts";
import * as factors from "../../auth/second-factor/messages.ts";
import type { Money, Recipient } from "../../billing/notices/notice.ts";
import * as payments from "../../billing/notices/payment-messages.ts";
import * as plans from "../../billing/notices/plan-messages.ts";
import * as contact from "../../contact/messages.ts";
import { NOTHING_OPEN } from "../../entitlements/features.ts";
import type { Message } from "../../mail/message.ts";
import { changelogMessage } from "../../news/messages.ts";
import type { Site } from "../../ui/site.ts";
import * as waitlist from "../../waitlist/messages.ts";

export interface Sample {
  name: string;
  /** Empty where the subject says it. */
  when: string;
  write(site: Site): Message;
}

const EMAIL = "ada@example.com";
const TOKEN = "sample";
const PERSON = { email: EMAIL, token: TOKEN };
const PLAN = "CSV + Banking";
const TIER = "premium" as const;
const [THEN, SOON] = [new Date("2026-05-04T09:30:00Z"), new Date("2026-06-04T09:30:00Z")];
const MONEY: Money = { amount: 499, currency: "usd" };
const CARD = { brand: "visa", last4: "4242" };
const INVOICE = { plan: PLAN, tier: TIER, money: MONEY, number: "OWN-0001", hostedUrl: null, pdfUrl: null };
const FAILURE = {
  ...INVOICE,
  card: CARD,
  accessUntil: SOON,
  isChange: false,
  nextAttemptAt: SOON,
  declineCode: "insufficient_funds",
};
const AHEAD = { plan: PLAN, tier: TIER, money: MONEY, at: SOON, card: CARD };
const REFUND = {
  plan: PLAN,
  tier: TIER,
  money: MONEY,
  paid: { ...MONEY, at: THEN },
  number: "OWN-0001",
  card: CARD,
  access: "ended" as const,
};

type Given<Writer> = Writer extends (...given: [...infer Before, Site]) => Message ? Before : never;
type Facts<Writer> = Writer extends (facts: infer First, recipient: Recipient) => Message ? First : never;

/** Of a function that takes the site last. */
function sample<Module, Name extends keyof Module & string>(
  from: Module,
  name: Name,
  when: string,
  ...given: Given<Module[Name]>
): Sample {
  const writer = from[name] as (...given: unknown[]) => Message;
  return { name, when, write: (site) => writer(...given, site) };
}

/** Of one about a plan or a payment, which takes to whom it goes last. */
function billing<Module, Name extends keyof Module & string>(
  from: Module,
  name: Name,
  when: string,
  facts: Facts<Module[Name]>,
): Sample {
  const writer = from[name] as (facts: unknown, recipient: Recipient) => Message;
  const recipient = { to: EMAIL, timeZone: null, features: NOTHING_OPEN, remaining: null };
  return { name, when, write: (site) => writer(facts, { ...recipient, site }) };
}

/** Every mail template, by subject. A test compares them with the functions that write mail. */
export const SAMPLES: Record<string, Sample[]> = {
  "Signing in": [
    sample(accounts, "verificationMessage", "When they sign up, and when they ask for it again", PERSON),
    sample(accounts, "resetMessage", "When they ask for a new password", PERSON),
    sample(accounts, "pausedMessage", "When 10 passwords in 15 minutes are wrong", PERSON),
    sample(accounts, "passwordChangedMessage", "When a password is changed or reset", PERSON),
    sample(accounts, "passwordSetMessage", "When an account without a password gets one", EMAIL),
    sample(accounts, "connectedMessage", "Also for Facebook", EMAIL, "Google"),
    sample(accounts, "disconnectedMessage", "Also for Facebook", EMAIL, "Google"),
  ],
  "Two-step login": [
    sample(
      factors,
      "factorAddedMessage",
      "When they add an app or a passkey",
      EMAIL,
      "an authenticator app",
      true,
    ),
    sample(
      factors,
      "factorRemovedMessage",
      "When they remove an app or a passkey",
      EMAIL,
      "an authenticator app",
      true,
    ),
    sample(factors, "factorRemovedForYouMessage", "When you turn it off for someone", EMAIL),
    sample(factors, "recoveryCodesMadeMessage", "When they make recovery codes", EMAIL),
    sample(factors, "recoveryCodeUsedMessage", "When they log in with a recovery code", EMAIL, 9),
    sample(factors, "factorPausedMessage", "When too many codes are wrong after the right password", EMAIL),
  ],
  Account: [
    sample(accounts, "confirmAddressMessage", "To the new address", EMAIL, TOKEN),
    sample(accounts, "addressChangeAskedMessage", "To the current address", EMAIL),
    sample(accounts, "addressChangedMessage", "To the old address, afterward", EMAIL),
    sample(accounts, "addressInUseMessage", "When someone enters an address that has an account", EMAIL),
    sample(accounts, "endingMessage", "7 days before an unconfirmed account is deleted", EMAIL),
    {
      name: "deletedMessage",
      when: "When they or you delete the account",
      write: (site) => accounts.deletedMessage(EMAIL, site, true),
    },
  ],
  Payments: [
    billing(payments, "receiptMessage", "When a payment goes through", {
      ...INVOICE,
      tax: 0,
      reason: "first",
      period: { start: THEN, end: SOON },
      isRecovered: false,
      next: { ...MONEY, at: SOON },
    }),
    billing(payments, "paymentFailedMessage", "When a payment is declined for the first time", FAILURE),
    billing(payments, "authenticationNeededMessage", "When the bank wants the payment confirmed", FAILURE),
    billing(payments, "refundMessage", "When a payment is refunded", REFUND),
    billing(payments, "refundsMessage", "When several payments are refunded together", [REFUND, REFUND]),
    billing(payments, "creditMessage", "When you give a credit", MONEY),
    billing(plans, "cardExpiresMessage", "Before a payment for which the card will have expired", {
      ...AHEAD,
      expires: { month: 5, year: 2026 },
    }),
  ],
  Plans: [
    billing(plans, "renewalMessage", "14 days before a yearly plan renews", { ...AHEAD, interval: "year" }),
    billing(plans, "trialEndsMessage", "7 days before a free trial becomes a paid plan", {
      ...AHEAD,
      interval: "month",
    }),
    billing(plans, "accessEndsMessage", "3 days before a plan ends with no other to follow", {
      tier: TIER,
      endsAt: SOON,
      source: "promo",
      promoCode: "SPRING",
    }),
    billing(plans, "featureOpenMessage", "When a feature of their plan opens", {
      feature: "csv_processing",
      changesRefund: true,
      grant: { days: 34, endsAt: SOON },
    }),
    billing(plans, "daysGivenMessage", "When a paid plan gets the days it waited for its first feature", {
      plan: PLAN,
      days: 34,
      next: { money: AHEAD.money, at: AHEAD.at },
      endsAt: SOON,
    }),
    billing(plans, "canceledMessage", "When a plan is set to end with its paid period", {
      plan: PLAN,
      tier: TIER,
      endsAt: SOON,
    }),
    billing(plans, "endedMessage", "When a plan has ended", {
      plan: PLAN,
      endedAt: THEN,
      why: "payment_failed",
    }),
    sample(payments, "withdrawalMessage", "When they withdraw from the contract", {
      name: "Ada Lovelace",
      email: EMAIL,
      planName: PLAN,
      reference: "sub_sample",
      declaredAt: THEN,
    }),
    {
      name: "disputedRefundMessage",
      when: "To us, when a refund waits for a dispute and its account is gone",
      write: (site) => payments.disputedRefundMessage(site.supportEmail ?? EMAIL, ["pi_3Qx7"]),
    },
    {
      name: "returnedRefundMessage",
      when: "To us, when a refund comes back and its account is gone",
      write: (site) => payments.returnedRefundMessage(site.supportEmail ?? EMAIL, ["pi_3Qx7"]),
    },
    billing(plans, "planChangeMessage", "When you change a plan", {
      from: "CSV Only",
      to: PLAN,
      tier: TIER,
      startsAt: null,
      due: { ...MONEY, tax: 0 },
      next: { ...MONEY, tax: 0, at: SOON },
    }),
    sample(plans, "changeRefusedMessage", "When Stripe refuses a change of plan", EMAIL),
  ],
  Waitlist: [
    sample(waitlist, "confirmMessage", "When an address is entered", PERSON),
    sample(waitlist, "alreadyOnListMessage", "When a confirmed address is entered again", PERSON),
    sample(waitlist, "welcomeMessage", "When they confirm their place", {
      ...PERSON,
      referralCode: "2222222222",
    }),
    {
      name: "invitationMessage",
      when: "When you invite them",
      write: (site) =>
        waitlist.invitationMessage(
          PERSON,
          { code: "K7QM-4XTR-9WHF-2DPC", tier: "premium", durationMonths: 3, expiresAt: SOON },
          site,
          NOTHING_OPEN,
        ),
    },
  ],
  Contact: [
    {
      name: "forwardedMessage",
      when: "To us, when someone sends the contact form",
      write: (site) =>
        contact.forwardedMessage(
          { name: "Ada Lovelace", email: EMAIL, topic: "idea", message: "Could there be charts?" },
          site.supportEmail ?? EMAIL,
        ),
    },
    {
      name: "answerMessage",
      when: "When you answer a contact message",
      write: (site) =>
        contact.answerMessage(
          { email: EMAIL, topic: "idea", createdAt: THEN },
          "Hello Ada,\n\ncharts are on our list for this summer.",
          site,
        ),
    },
  ],
  "Product news": [
    {
      name: "changelogMessage",
      when: "When you email a changelog entry, to those who want product news",
      write: (site) =>
        changelogMessage(
          {
            id: "entry",
            title: "CSV Processing reads its first file",
            body: "It knows the columns of five banks.",
          },
          { email: EMAIL, leaveUrl: `${site.origin}/news/unsubscribe?token=${TOKEN}` },
          site,
        ),
    },
  ],
};

export function findSample(name: string): Sample | undefined {
  return Object.values(SAMPLES)
    .flat()
    .find((each) => each.name === name);
}
