import { expect, test } from "vitest";
import { SITE } from "../../../test/site.ts";
import { type FeatureStates, NOTHING_OPEN } from "../../entitlements/features.ts";
import type { Message } from "../../mail/message.ts";
import { toPlainText } from "../../mail/plain-text.ts";
import type { Recipient } from "./notice.ts";
import { receiptMessage, refundMessage } from "./payment-messages.ts";
import {
  accessEndsMessage,
  canceledMessage,
  cardExpiresMessage,
  endedMessage,
  planChangeMessage,
  renewalMessage,
  trialEndsMessage,
} from "./plan-messages.ts";

const DAY = new Date("2027-11-27T02:00:00Z");
const IN_WORDS = "November 26, 2027, 6:00 PM PST";
const PLAN = { plan: "CSV + Banking", tier: "premium" } as const;
const MONEY = { amount: 4999, currency: "usd" };
const TAXED = { ...MONEY, tax: 0 };
const AHEAD = { ...PLAN, money: MONEY, at: DAY, card: null, interval: "year" } as const;
const OPEN: FeatureStates = { ...NOTHING_OPEN, banking_api: { isOpen: true, openedAt: new Date(0) } };

const recipient: Recipient = {
  to: "ada@example.com",
  site: SITE,
  timeZone: "America/Los_Angeles",
  features: NOTHING_OPEN,
  remaining: { tier: "basic", expiresAt: DAY },
};

const change = { from: "CSV Only", to: PLAN.plan, tier: PLAN.tier, due: TAXED, next: { ...TAXED, at: DAY } };
const invoice = { ...PLAN, money: MONEY, number: null, hostedUrl: null, pdfUrl: null };
const refund = { ...PLAN, money: MONEY, paid: { ...MONEY, at: null }, number: null, card: null };

const WRITERS: Record<string, (to: Recipient) => Message> = {
  canceled: (to) => canceledMessage({ ...PLAN, endsAt: DAY }, to),
  "a grant ends": (to) =>
    accessEndsMessage({ tier: "premium", endsAt: DAY, source: "promo", promoCode: "SPRING" }, to),
  "a paid plan ends": (to) =>
    accessEndsMessage({ tier: "premium", endsAt: DAY, source: "paid", promoCode: null }, to),
  renewal: (to) => renewalMessage(AHEAD, to),
  trial: (to) => trialEndsMessage(AHEAD, to),
  "card expires": (to) => cardExpiresMessage({ ...AHEAD, expires: { month: 10, year: 2027 } }, to),
  "change at once": (to) => planChangeMessage({ ...change, startsAt: null }, to),
  "change later": (to) => planChangeMessage({ ...change, startsAt: DAY }, to),
  receipt: (to) =>
    receiptMessage(
      { ...invoice, tax: 0, reason: "first", period: null, isRecovered: false, next: { ...MONEY, at: DAY } },
      to,
    ),
  "refund of a plan that goes on": (to) => refundMessage({ ...refund, access: "goes_on", endsAt: DAY }, to),
  "something remains": (to) => endedMessage({ plan: PLAN.plan, endedAt: new Date(0), why: "canceled" }, to),
};

const textOf = (message: Message) => toPlainText(SITE, message).replaceAll(/\s+/g, " ");

test.for(Object.entries(WRITERS))(
  "%s: the day is named with the days that will be added, as on the pages",
  ([name, write]) => {
    const waiting = write(recipient);
    expect(textOf(waiting)).toContain(`${IN_WORDS}, plus the days until CSV Processing opens`);
    if (waiting.subject.includes(IN_WORDS)) expect(waiting.subject).toMatch(/PST, or later$/);
    // CSV Only still waits.
    if (name === "something remains") return;
    const open = write({ ...recipient, features: OPEN });
    expect(textOf(open)).toContain(IN_WORDS);
    expect(textOf(open)).not.toMatch(/plus the days|Time before launch|before your plan’s first feature/);
    expect(open.subject).not.toContain("later");
  },
);
