import * as accounts from "../../auth/messages.ts";
import * as factors from "../../auth/second-factor/messages.ts";
import type { Money } from "../../billing/notices/notice.ts";
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
  when: string;
  write(site: Site): Message;
}

const EMAIL = "ada@example.com";
const TOKEN = "sample";
const PERSON = { email: EMAIL, token: TOKEN };
const PLAN = "CSV + Banking";
const [THEN, SOON] = [new Date("2026-05-04T09:30:00Z"), new Date("2026-06-04T09:30:00Z")];
const MONEY: Money = { amount: 499, currency: "usd" };
const CARD = { brand: "visa", last4: "4242" };
const INVOICE = { plan: PLAN, money: MONEY, number: "OWN-0001", hostedUrl: null, pdfUrl: null };
const FAILURE = {
  ...INVOICE,
  card: CARD,
  accessUntil: SOON,
  isChange: false,
  nextAttemptAt: SOON,
  declineCode: "insufficient_funds",
};
const AHEAD = { plan: PLAN, money: MONEY, at: SOON, card: CARD };
const REFUND = {
  plan: PLAN,
  money: MONEY,
  paid: { ...MONEY, at: THEN },
  number: "OWN-0001",
  card: CARD,
  access: "ended" as const,
};

const sample = (name: string, when: string, write: Sample["write"]): Sample => ({ name, when, write });

/** Every mail template, by subject. A test compares them with the functions that write mail. */
export const SAMPLES: Record<string, Sample[]> = {
  "Two-step login": [
    sample("factorAddedMessage", "A second step was added", (site) =>
      factors.factorAddedMessage(EMAIL, "an authenticator app", true, site),
    ),
    sample("factorRemovedMessage", "A second step was removed", (site) =>
      factors.factorRemovedMessage(EMAIL, "an authenticator app", true, site),
    ),
    sample("factorRemovedForYouMessage", "You turned it off for someone", (site) =>
      factors.factorRemovedForYouMessage(EMAIL, site),
    ),
    sample("recoveryCodesMadeMessage", "New recovery codes were made", (site) =>
      factors.recoveryCodesMadeMessage(EMAIL, site),
    ),
    sample("recoveryCodeUsedMessage", "A recovery code was used", (site) =>
      factors.recoveryCodeUsedMessage(EMAIL, 9, site),
    ),
    sample("factorPausedMessage", "Too many wrong codes after the right password", (site) =>
      factors.factorPausedMessage(EMAIL, site),
    ),
  ],
  "Signing in": [
    sample("verificationMessage", "After signing up, and when asked for again", (site) =>
      accounts.verificationMessage(PERSON, site),
    ),
    sample("resetMessage", "A new password was asked for", (site) => accounts.resetMessage(PERSON, site)),
    sample("pausedMessage", "Ten wrong passwords in 15 minutes", (site) =>
      accounts.pausedMessage(PERSON, site),
    ),
    sample("passwordChangedMessage", "The password was changed", (site) =>
      accounts.passwordChangedMessage(PERSON, site),
    ),
    sample("passwordSetMessage", "An account without a password got one", (site) =>
      accounts.passwordSetMessage(EMAIL, site),
    ),
    sample("connectedMessage", "Google or Facebook was connected", (site) =>
      accounts.connectedMessage(EMAIL, "Google", site),
    ),
    sample("disconnectedMessage", "Google or Facebook was disconnected", (site) =>
      accounts.disconnectedMessage(EMAIL, "Google", site),
    ),
  ],
  Account: [
    sample(
      "changelogMessage",
      "An entry of the changelog is mailed, to those who want product news",
      (site) =>
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
    sample("confirmAddressMessage", "To the address an account is to have", (site) =>
      accounts.confirmAddressMessage(EMAIL, TOKEN, site),
    ),
    sample("addressChangeAskedMessage", "To the address an account still has", (site) =>
      accounts.addressChangeAskedMessage(EMAIL, site),
    ),
    sample("addressChangedMessage", "To the address an account had", (site) =>
      accounts.addressChangedMessage(EMAIL, site),
    ),
    sample("addressInUseMessage", "Someone wants an address that has an account", (site) =>
      accounts.addressInUseMessage(EMAIL, site),
    ),
    sample("endingMessage", "A week before an account ends that nobody confirmed", (site) =>
      accounts.endingMessage(EMAIL, site),
    ),
    sample("deletedMessage", "The account is deleted", (site) => accounts.deletedMessage(EMAIL, site, true)),
  ],
  Payments: [
    sample("receiptMessage", "Every payment", (site) =>
      payments.receiptMessage(
        {
          ...INVOICE,
          tax: 0,
          reason: "first",
          period: { start: THEN, end: SOON },
          isRecovered: false,
          next: { ...MONEY, at: SOON },
        },
        { to: EMAIL, site },
      ),
    ),
    sample("paymentFailedMessage", "A payment is declined for the first time", (site) =>
      payments.paymentFailedMessage(FAILURE, { to: EMAIL, site }),
    ),
    sample("authenticationNeededMessage", "The bank wants the payment confirmed", (site) =>
      payments.authenticationNeededMessage(FAILURE, { to: EMAIL, site }),
    ),
    sample("refundMessage", "A payment is given back", (site) =>
      payments.refundMessage(REFUND, { to: EMAIL, site }),
    ),
    sample("refundsMessage", "Several payments are given back at once", (site) =>
      payments.refundsMessage([REFUND, REFUND], { to: EMAIL, site }),
    ),
    sample("creditMessage", "You give a credit", (site) =>
      payments.creditMessage(MONEY, { to: EMAIL, site }),
    ),
    sample("cardExpiresMessage", "The card expires before the next payment", (site) =>
      plans.cardExpiresMessage({ ...AHEAD, expires: { month: 5, year: 2026 } }, { to: EMAIL, site }),
    ),
  ],
  Plans: [
    sample("renewalMessage", "14 days before a yearly plan renews", (site) =>
      plans.renewalMessage({ ...AHEAD, interval: "year" }, { to: EMAIL, site }),
    ),
    sample("trialEndsMessage", "7 days before a free trial becomes a paid plan", (site) =>
      plans.trialEndsMessage({ ...AHEAD, interval: "month" }, { to: EMAIL, site }),
    ),
    sample("accessEndsMessage", "Three days before a plan ends that nothing follows", (site) =>
      plans.accessEndsMessage(
        { plan: PLAN, endsAt: SOON, source: "promo", promoCode: "SPRING" },
        { to: EMAIL, site },
      ),
    ),
    sample("featureOpenMessage", "A feature of their plan opens, once", (site) =>
      plans.featureOpenMessage(
        { feature: "csv_processing", changesRefund: true, grant: { days: 34, endsAt: SOON } },
        { to: EMAIL, site },
      ),
    ),
    sample("daysGivenMessage", "A paid plan gets back the days it waited for its first feature", (site) =>
      plans.daysGivenMessage(
        { plan: PLAN, days: 34, next: { money: AHEAD.money, at: AHEAD.at }, endsAt: SOON },
        { to: EMAIL, site },
      ),
    ),
    sample("canceledMessage", "A plan is canceled for the end of its period", (site) =>
      plans.canceledMessage({ plan: PLAN, endsAt: SOON }, { to: EMAIL, site }),
    ),
    sample("endedMessage", "A plan has ended", (site) =>
      plans.endedMessage({ plan: PLAN, endedAt: THEN, why: "payment_failed" }, { to: EMAIL, site }),
    ),
    sample("withdrawalMessage", "A withdrawal from the contract is received", (site) =>
      payments.withdrawalMessage(
        { name: "Ada Lovelace", email: EMAIL, planName: PLAN, reference: "sub_sample", declaredAt: THEN },
        site,
      ),
    ),
    sample("disputedRefundMessage", "To us: a refund waits for a dispute, and its account is gone", (site) =>
      payments.disputedRefundMessage(site.supportEmail ?? EMAIL, ["pi_3Qx7"]),
    ),
    sample("returnedRefundMessage", "To us: a refund came back, and its account is gone", (site) =>
      payments.returnedRefundMessage(site.supportEmail ?? EMAIL, ["pi_3Qx7"]),
    ),
    sample("planChangeMessage", "You change a plan", (site) =>
      plans.planChangeMessage(
        {
          from: "CSV Only",
          to: PLAN,
          startsAt: null,
          due: { ...MONEY, tax: 0 },
          next: { ...MONEY, tax: 0, at: SOON },
        },
        { to: EMAIL, site },
      ),
    ),
    sample("changeRefusedMessage", "A change of plan could not be made after all", (site) =>
      plans.changeRefusedMessage(EMAIL, site),
    ),
  ],
  Waitlist: [
    sample("confirmMessage", "An address was entered", (site) => waitlist.confirmMessage(PERSON, site)),
    sample("alreadyOnListMessage", "A confirmed address was entered again", (site) =>
      waitlist.alreadyOnListMessage(PERSON, site),
    ),
    sample("welcomeMessage", "A place is confirmed", (site) =>
      waitlist.welcomeMessage({ ...PERSON, referralCode: "2222222222" }, site),
    ),
    sample("invitationMessage", "It’s the turn of somebody on the waitlist", (site) =>
      waitlist.invitationMessage(
        PERSON,
        { code: "K7QM-4XTR-9WHF-2DPC", tier: "premium", durationMonths: 3, expiresAt: SOON },
        site,
        NOTHING_OPEN,
      ),
    ),
  ],
  Contact: [
    sample("forwardedMessage", "To us: a message from the contact form", (site) =>
      contact.forwardedMessage(
        { name: "Ada Lovelace", email: EMAIL, topic: "idea", message: "Could there be charts?" },
        site.supportEmail ?? EMAIL,
      ),
    ),
    sample("answerMessage", "Your answer to such a message", (site) =>
      contact.answerMessage(
        { email: EMAIL, topic: "idea", createdAt: THEN },
        "Hello Ada,\n\ncharts are on our list for this summer.",
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
