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
  "Two-step login": [
    sample(factors, "factorAddedMessage", "", EMAIL, "an authenticator app", true),
    sample(factors, "factorRemovedMessage", "", EMAIL, "an authenticator app", true),
    sample(factors, "factorRemovedForYouMessage", "You turned it off for someone", EMAIL),
    sample(factors, "recoveryCodesMadeMessage", "", EMAIL),
    sample(factors, "recoveryCodeUsedMessage", "", EMAIL, 9),
    sample(factors, "factorPausedMessage", "Too many wrong codes after the right password", EMAIL),
  ],
  "Signing in": [
    sample(accounts, "verificationMessage", "After signing up, and when asked for again", PERSON),
    sample(accounts, "resetMessage", "They asked for a new password", PERSON),
    sample(accounts, "pausedMessage", "Ten wrong passwords in 15 minutes", PERSON),
    sample(accounts, "passwordChangedMessage", "", PERSON),
    sample(accounts, "passwordSetMessage", "An account without a password got one", EMAIL),
    sample(accounts, "connectedMessage", "The same for Facebook", EMAIL, "Google"),
    sample(accounts, "disconnectedMessage", "The same for Facebook", EMAIL, "Google"),
  ],
  Account: [
    sample(accounts, "confirmAddressMessage", "To the address an account is to have", EMAIL, TOKEN),
    sample(accounts, "addressChangeAskedMessage", "To the address an account still has", EMAIL),
    sample(accounts, "addressChangedMessage", "To the address an account had", EMAIL),
    sample(accounts, "addressInUseMessage", "Someone wants an address that has an account", EMAIL),
    sample(accounts, "endingMessage", "A week before an account ends that nobody confirmed", EMAIL),
    {
      name: "deletedMessage",
      when: "",
      write: (site) => accounts.deletedMessage(EMAIL, site, true),
    },
  ],
  Payments: [
    billing(payments, "receiptMessage", "Every payment", {
      ...INVOICE,
      tax: 0,
      reason: "first",
      period: { start: THEN, end: SOON },
      isRecovered: false,
      next: { ...MONEY, at: SOON },
    }),
    billing(payments, "paymentFailedMessage", "A payment is declined for the first time", FAILURE),
    billing(payments, "authenticationNeededMessage", "The bank wants the payment confirmed", FAILURE),
    billing(payments, "refundMessage", "", REFUND),
    billing(payments, "refundsMessage", "Several payments are refunded together", [REFUND, REFUND]),
    billing(payments, "creditMessage", "You give a credit", MONEY),
    billing(plans, "cardExpiresMessage", "", {
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
    billing(plans, "accessEndsMessage", "Three days before a plan ends that nothing follows", {
      tier: TIER,
      endsAt: SOON,
      source: "promo",
      promoCode: "SPRING",
    }),
    billing(plans, "featureOpenMessage", "A feature of their plan opens, once", {
      feature: "csv_processing",
      changesRefund: true,
      grant: { days: 34, endsAt: SOON },
    }),
    billing(plans, "daysGivenMessage", "A paid plan gets the days it waited for its first feature", {
      plan: PLAN,
      days: 34,
      next: { money: AHEAD.money, at: AHEAD.at },
      endsAt: SOON,
    }),
    billing(plans, "canceledMessage", "A plan is canceled for the end of its period", {
      plan: PLAN,
      tier: TIER,
      endsAt: SOON,
    }),
    billing(plans, "endedMessage", "", { plan: PLAN, endedAt: THEN, why: "payment_failed" }),
    sample(payments, "withdrawalMessage", "", {
      name: "Ada Lovelace",
      email: EMAIL,
      planName: PLAN,
      reference: "sub_sample",
      declaredAt: THEN,
    }),
    {
      name: "disputedRefundMessage",
      when: "To us: a refund waits for a dispute, and its account is gone",
      write: (site) => payments.disputedRefundMessage(site.supportEmail ?? EMAIL, ["pi_3Qx7"]),
    },
    {
      name: "returnedRefundMessage",
      when: "To us: a refund came back, and its account is gone",
      write: (site) => payments.returnedRefundMessage(site.supportEmail ?? EMAIL, ["pi_3Qx7"]),
    },
    billing(plans, "planChangeMessage", "You change a plan", {
      from: "CSV Only",
      to: PLAN,
      tier: TIER,
      startsAt: null,
      due: { ...MONEY, tax: 0 },
      next: { ...MONEY, tax: 0, at: SOON },
    }),
    sample(plans, "changeRefusedMessage", "", EMAIL),
  ],
  Waitlist: [
    sample(waitlist, "confirmMessage", "An address was entered", PERSON),
    sample(waitlist, "alreadyOnListMessage", "A confirmed address was entered again", PERSON),
    sample(waitlist, "welcomeMessage", "They confirmed their place", {
      ...PERSON,
      referralCode: "2222222222",
    }),
    {
      name: "invitationMessage",
      when: "You invited them",
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
      when: "To us: a message from the contact form",
      write: (site) =>
        contact.forwardedMessage(
          { name: "Ada Lovelace", email: EMAIL, topic: "idea", message: "Could there be charts?" },
          site.supportEmail ?? EMAIL,
        ),
    },
    {
      name: "answerMessage",
      when: "Your answer to such a message",
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
      when: "You email a changelog entry, to those who want product news",
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
