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
const RECEIPT = {
  ...INVOICE,
  tax: 0,
  reason: "first" as const,
  period: { start: THEN, end: SOON },
  isRecovered: false,
  next: { ...MONEY, at: SOON },
};
const REFUND = {
  plan: PLAN,
  tier: TIER,
  money: MONEY,
  paid: { ...MONEY, at: THEN },
  number: "OWN-0001",
  card: CARD,
  access: "ended" as const,
};

function sample(name: string, when: string, write: Sample["write"]): Sample {
  return { name, when, write };
}

/** Of mails about a plan or a payment. */
function to(site: Site): Recipient {
  return { to: EMAIL, timeZone: null, features: NOTHING_OPEN, remaining: null, site };
}

/** To us. */
const us = ({ supportEmail }: Site) => supportEmail ?? EMAIL;

/** Every mail template, by subject. A test compares them with the functions that write mail. */
export const SAMPLES: Record<string, Sample[]> = {
  "Signing in": [
    sample("verificationMessage", "When they sign up, and when they ask for it again", (site) =>
      accounts.verificationMessage(PERSON, site),
    ),
    sample("resetMessage", "When they ask for a new password", (site) => accounts.resetMessage(PERSON, site)),
    sample("pausedMessage", "When 10 passwords in 15 minutes are wrong", (site) =>
      accounts.pausedMessage(PERSON, site),
    ),
    sample("passwordChangedMessage", "When a password is changed or reset", (site) =>
      accounts.passwordChangedMessage(PERSON, site),
    ),
    sample("passwordSetMessage", "When an account without a password gets one", (site) =>
      accounts.passwordSetMessage(EMAIL, site),
    ),
    sample("connectedMessage", "Also for Facebook", (site) =>
      accounts.connectedMessage(EMAIL, "Google", site),
    ),
    sample("disconnectedMessage", "Also for Facebook", (site) =>
      accounts.disconnectedMessage(EMAIL, "Google", site),
    ),
  ],
  "Two-step login": [
    sample("factorAddedMessage", "When they add an app or a passkey", (site) =>
      factors.factorAddedMessage(EMAIL, "an authenticator app", true, site),
    ),
    sample("factorRemovedMessage", "When they remove an app or a passkey", (site) =>
      factors.factorRemovedMessage(EMAIL, "an authenticator app", true, site),
    ),
    sample("factorRemovedForYouMessage", "When you turn it off for someone", (site) =>
      factors.factorRemovedForYouMessage(EMAIL, site),
    ),
    sample("recoveryCodesMadeMessage", "When they make recovery codes", (site) =>
      factors.recoveryCodesMadeMessage(EMAIL, site),
    ),
    sample("recoveryCodeUsedMessage", "When they log in with a recovery code", (site) =>
      factors.recoveryCodeUsedMessage(EMAIL, 9, site),
    ),
    sample("factorPausedMessage", "When too many codes are wrong after the right password", (site) =>
      factors.factorPausedMessage(EMAIL, site),
    ),
  ],
  Account: [
    sample("confirmAddressMessage", "To the new address", (site) =>
      accounts.confirmAddressMessage(EMAIL, TOKEN, site),
    ),
    sample("addressChangeAskedMessage", "To the current address", (site) =>
      accounts.addressChangeAskedMessage(EMAIL, site),
    ),
    sample("addressChangedMessage", "To the old address, afterward", (site) =>
      accounts.addressChangedMessage(EMAIL, site),
    ),
    sample("addressInUseMessage", "When someone enters an address that has an account", (site) =>
      accounts.addressInUseMessage(EMAIL, site),
    ),
    sample("endingMessage", "7 days before an unconfirmed account is deleted", (site) =>
      accounts.endingMessage(EMAIL, site),
    ),
    sample("deletedMessage", "When they or you delete the account", (site) =>
      accounts.deletedMessage(EMAIL, site, true),
    ),
  ],
  Payments: [
    sample("receiptMessage", "When a payment goes through", (site) =>
      payments.receiptMessage(RECEIPT, to(site)),
    ),
    sample("paymentFailedMessage", "When a payment is declined for the first time", (site) =>
      payments.paymentFailedMessage(FAILURE, to(site)),
    ),
    sample("authenticationNeededMessage", "When the bank wants the payment confirmed", (site) =>
      payments.authenticationNeededMessage(FAILURE, to(site)),
    ),
    sample("refundMessage", "When a payment is refunded", (site) => payments.refundMessage(REFUND, to(site))),
    sample("refundsMessage", "When several payments are refunded together", (site) =>
      payments.refundsMessage([REFUND, REFUND], to(site)),
    ),
    sample("creditMessage", "When you give a credit", (site) => payments.creditMessage(MONEY, to(site))),
    sample("cardExpiresMessage", "Before a payment for which the card will have expired", (site) =>
      plans.cardExpiresMessage({ ...AHEAD, expires: { month: 5, year: 2026 } }, to(site)),
    ),
  ],
  Plans: [
    sample("renewalMessage", "14 days before a yearly plan renews", (site) =>
      plans.renewalMessage({ ...AHEAD, interval: "year" }, to(site)),
    ),
    sample("trialEndsMessage", "7 days before a free trial becomes a paid plan", (site) =>
      plans.trialEndsMessage({ ...AHEAD, interval: "month" }, to(site)),
    ),
    sample("accessEndsMessage", "3 days before a plan ends with no other to follow", (site) =>
      plans.accessEndsMessage({ tier: TIER, endsAt: SOON, source: "promo", promoCode: "SPRING" }, to(site)),
    ),
    sample("featureOpenMessage", "When a feature of their plan opens", (site) =>
      plans.featureOpenMessage(
        { feature: "csv_processing", changesRefund: true, grant: { days: 34, endsAt: SOON } },
        to(site),
      ),
    ),
    sample("daysGivenMessage", "When a paid plan gets the days it waited for its first feature", (site) =>
      plans.daysGivenMessage(
        { plan: PLAN, days: 34, next: { money: MONEY, at: SOON }, endsAt: SOON },
        to(site),
      ),
    ),
    sample("canceledMessage", "When a plan is set to end with its paid period", (site) =>
      plans.canceledMessage({ plan: PLAN, tier: TIER, endsAt: SOON }, to(site)),
    ),
    sample("endedMessage", "When a plan has ended", (site) =>
      plans.endedMessage({ plan: PLAN, endedAt: THEN, why: "payment_failed" }, to(site)),
    ),
    sample("withdrawalMessage", "When they withdraw from the contract", (site) =>
      payments.withdrawalMessage(
        { name: "Ada Lovelace", email: EMAIL, planName: PLAN, reference: "sub_sample", declaredAt: THEN },
        site,
      ),
    ),
    sample(
      "disputedRefundMessage",
      "To us, when a refund waits for a dispute and its account is gone",
      (site) => payments.disputedRefundMessage(us(site), ["pi_3Qx7"]),
    ),
    sample("returnedRefundMessage", "To us, when a refund comes back and its account is gone", (site) =>
      payments.returnedRefundMessage(us(site), ["pi_3Qx7"]),
    ),
    sample("planChangeMessage", "When you change a plan", (site) =>
      plans.planChangeMessage(
        {
          from: "CSV Only",
          to: PLAN,
          tier: TIER,
          startsAt: null,
          due: { ...MONEY, tax: 0 },
          next: { ...MONEY, tax: 0, at: SOON },
        },
        to(site),
      ),
    ),
    sample("changeRefusedMessage", "When Stripe refuses a change of plan", (site) =>
      plans.changeRefusedMessage(EMAIL, site),
    ),
  ],
  Waitlist: [
    sample("confirmMessage", "When an address is entered", (site) => waitlist.confirmMessage(PERSON, site)),
    sample("alreadyOnListMessage", "When a confirmed address is entered again", (site) =>
      waitlist.alreadyOnListMessage(PERSON, site),
    ),
    sample("welcomeMessage", "When they confirm their place", (site) =>
      waitlist.welcomeMessage({ ...PERSON, referralCode: "2222222222" }, site),
    ),
    sample("invitationMessage", "When you invite them", (site) =>
      waitlist.invitationMessage(
        PERSON,
        { code: "K7QM-4XTR-9WHF-2DPC", tier: "premium", durationMonths: 3, expiresAt: SOON },
        site,
        NOTHING_OPEN,
      ),
    ),
  ],
  Contact: [
    sample("forwardedMessage", "To us, when someone sends the contact form", (site) =>
      contact.forwardedMessage(
        { name: "Ada Lovelace", email: EMAIL, topic: "idea", message: "Could there be charts?" },
        us(site),
      ),
    ),
    sample("answerMessage", "When you answer a contact message", (site) =>
      contact.answerMessage(
        { email: EMAIL, topic: "idea", createdAt: THEN },
        "Hello Ada,\n\ncharts are on our list for this summer.",
        site,
      ),
    ),
  ],
  "Product news": [
    sample("changelogMessage", "When you email a changelog entry, to those who want product news", (site) =>
      changelogMessage(
        {
          id: "entry",
          title: "CSV Processing reads its first file",
          body: "It knows the columns of five banks.",
        },
        { email: EMAIL, leaveUrl: `${site.origin}/news/unsubscribe?token=${TOKEN}` },
        site,
      ),
    ),
  ],
};

export function findSample(name: string): Sample | undefined {
  return Object.values(SAMPLES)
    .flat()
    .find((each) => each.name === name);
}
