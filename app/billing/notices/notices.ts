import type Stripe from "stripe";
import { NO_ACCESS } from "../lifecycle.ts";
import type { CustomerState } from "../sync/customer-state.server.ts";
import { chargeOf, fromUnixSeconds, type InvoiceRow, type SubscriptionRow } from "../sync/rows.ts";
import type { KnownCard, Notice, RefundFacts } from "./notice.ts";
import {
  authenticationNeededMessage,
  type FailureFacts,
  paymentFailedMessage,
  type ReceiptFacts,
  receiptMessage,
  refundMessage,
} from "./payment-messages.ts";
import {
  canceledMessage,
  type DaysGivenFacts,
  daysGivenMessage,
  type EndFacts,
  endedMessage,
} from "./plan-messages.ts";

/** An end within this time of the requested one counts as that one. */
const ON_TIME_MILLISECONDS = 60 * 60 * 1000;

/** All mails that follow from Stripe's state, sent before or not. @param now by the database's clock */
export function noticesOf(state: CustomerState, now: Date): Notice[] {
  const notices = [
    ...state.subscriptions.flatMap((each) => [
      canceledNotice(state, each),
      endedNotice(state, each),
      daysGivenNotice(state, each),
    ]),
    ...state.invoices.flatMap((each) => [receiptNotice(state, each), dueNotice(state, each, now)]),
    ...state.refunds.map((each) => refundNotice(state, each)),
  ];
  return notices.flatMap((notice) =>
    notice ? { ...notice, about: `${notice.kind}:${notice.subject}` } : [],
  );
}

function canceledNotice(state: CustomerState, subscription: SubscriptionRow): Notice | null {
  const { id, status, cancelAt, canceledAt } = subscription;
  if (!cancelAt || !["active", "trialing", "past_due"].includes(status)) return null;
  const facts = { plan: planName(state, subscription.priceId), tier: subscription.tier, endsAt: cancelAt };
  return {
    kind: "canceled",
    // Canceled again after being resumed, it gets a new mail.
    subject: `${id} ${(canceledAt ?? cancelAt).toISOString()}`,
    occurredAt: canceledAt ?? cancelAt,
    write: (recipient) => canceledMessage(facts, recipient),
  };
}

function endedNotice(state: CustomerState, subscription: SubscriptionRow): Notice | null {
  const { id, status, cancelAt, endedAt } = subscription;
  if (status !== "canceled" || !endedAt) return null;
  const isAsAnnounced = cancelAt && endedAt.getTime() > cancelAt.getTime() - ON_TIME_MILLISECONDS;
  // A refund that failed at once has no mail to announce the end.
  const hasFailed = state.invoices.some(
    ({ subscriptionId, refundFailed }) => subscriptionId === id && refundFailed > 0,
  );
  const why = state.endReasons.get(id);
  if (isAsAnnounced || (why === "refunded" && !hasFailed) || isPaidBack(state, id)) return null;
  const facts: EndFacts = {
    plan: planName(state, subscription.priceId),
    endedAt,
    why: why === "payment_failed" || why === "payment_disputed" ? why : "canceled",
  };
  return {
    kind: "ended",
    subject: id,
    occurredAt: endedAt,
    write: (recipient) => endedMessage(facts, recipient),
  };
}

/** Stripe calls the given days a trial; its period began when they were added. */
function daysGivenNotice(state: CustomerState, subscription: SubscriptionRow): Notice | null {
  const { id, status, daysGiven: days, currentPeriodStart, currentPeriodEnd } = subscription;
  if (!days || status !== "trialing" || !currentPeriodStart) return null;
  const { priceId, nextPriceId, nextAmount, nextPaymentAt, cancelAt } = subscription;
  const currency = state.planPrices.get(nextPriceId ?? priceId)?.currency;
  const facts: DaysGivenFacts = {
    plan: planName(state, priceId),
    days,
    endsAt: cancelAt ?? currentPeriodEnd,
    next:
      nextPaymentAt && nextAmount !== null && currency
        ? { money: { amount: nextAmount, currency }, at: nextPaymentAt }
        : null,
  };
  return {
    kind: "days_given",
    subject: id,
    occurredAt: currentPeriodStart,
    write: (recipient) => daysGivenMessage(facts, recipient),
  };
}

/** The mail about the refund announces the end of the plan, too. */
function isPaidBack({ invoices }: CustomerState, id: string): boolean {
  const [last] = invoices
    .filter(({ subscriptionId, amountPaid }) => subscriptionId === id && amountPaid > 0)
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  return last !== undefined && last.amountRefunded >= last.amountPaid;
}

const RECEIPT_REASONS: Record<string, ReceiptFacts["reason"]> = {
  subscription_create: "first",
  subscription_cycle: "renewal",
  subscription_update: "change",
};

function receiptNotice(state: CustomerState, invoice: InvoiceRow): Notice | null {
  const { id, status, amountPaid, tax, paidAt, periodStart, periodEnd, currency } = invoice;
  if (status !== "paid" || amountPaid === 0 || !paidAt) return null;
  const { nextAmount, nextPaymentAt } = subscriptionOf(state, invoice) ?? {};
  const facts: ReceiptFacts = {
    ...invoiceFacts(state, invoice, amountPaid),
    // If credit paid a part of the invoice, less may have been paid than its tax.
    tax: Math.min(tax, amountPaid),
    reason: RECEIPT_REASONS[invoice.billingReason ?? ""] ?? "first",
    period: periodStart && periodEnd ? { start: periodStart, end: periodEnd } : null,
    isRecovered: invoice.attemptCount > 1,
    next: nextPaymentAt ? { amount: nextAmount ?? 0, currency, at: nextPaymentAt } : null,
  };
  return {
    kind: "receipt",
    subject: id,
    occurredAt: paidAt,
    write: (recipient) => receiptMessage(facts, recipient),
  };
}

/** A card declined on the payment page needs no mail: the customer has seen it. */
function dueNotice(state: CustomerState, invoice: InvoiceRow, now: Date): Notice | null {
  const { id, status, needsAuthentication, attemptCount, billingReason } = invoice;
  const subscription = subscriptionOf(state, invoice);
  if (status !== "open" || !subscription || subscription.status === "canceled") return null;
  const isDeclined = attemptCount > 0 && billingReason !== "subscription_create";
  if (!needsAuthentication && !isDeclined) return null;
  const payment = paymentOf(state, invoice);
  const charge = payment && chargeOf(payment);
  const facts: FailureFacts = {
    ...invoiceFacts(state, invoice, invoice.amountDue),
    card: cardOf(payment) ?? cardOnFile(state),
    accessUntil: subscription.accessUntil && subscription.accessUntil > now ? subscription.accessUntil : null,
    isChange: billingReason === "subscription_update",
    nextAttemptAt: invoice.nextAttemptAt,
    declineCode: invoice.declineCode,
  };
  return {
    kind: needsAuthentication ? "authentication_needed" : "payment_failed",
    subject: id,
    occurredAt: charge ? fromUnixSeconds(charge.created) : invoice.createdAt,
    write: (recipient) =>
      needsAuthentication
        ? authenticationNeededMessage(facts, recipient)
        : paymentFailedMessage(facts, recipient),
  };
}

/** Refunds that end a plan go into one mail, sent once it has ended. */
function refundNotice(
  state: CustomerState,
  { id, invoiceId, amount, createdAt, endsPlan }: CustomerState["refunds"][number],
): Notice | null {
  const invoice = state.invoices.find((each) => each.id === invoiceId);
  if (!invoice) return null;
  const { currency, number, amountPaid, paidAt } = invoice;
  const subscription = subscriptionOf(state, invoice);
  const isOver = subscription?.status === "canceled";
  if (endsPlan && subscription && !isOver) return null;
  const hasEnded = endsPlan || isOver || subscription?.accessUntil === NO_ACCESS;
  const facts: RefundFacts = {
    plan: planName(state, invoice.priceId),
    tier: subscription?.tier ?? null,
    money: { amount, currency },
    paid: { amount: amountPaid, currency, at: paidAt },
    number,
    card: cardOf(paymentOf(state, invoice)),
    access: hasEnded ? "ended" : "goes_on",
    endsAt: subscription?.cancelAt ?? null,
  };
  return {
    kind: "refunded",
    subject: id,
    invoiceId,
    occurredAt: createdAt,
    write: (recipient) => refundMessage(facts, recipient),
    ...(endsPlan && subscription && { ending: { subscription: subscription.id, refund: facts } }),
  };
}

function invoiceFacts(state: CustomerState, invoice: InvoiceRow, amount: number) {
  const { priceId, currency, number, hostedUrl, pdfUrl } = invoice;
  const tier = subscriptionOf(state, invoice)?.tier ?? null;
  return { plan: planName(state, priceId), tier, money: { amount, currency }, number, hostedUrl, pdfUrl };
}

function subscriptionOf({ subscriptions }: CustomerState, { subscriptionId }: InvoiceRow) {
  return subscriptions.find(({ id }) => id === subscriptionId);
}

function planName({ planPrices }: CustomerState, priceId: string | null): string {
  return planPrices.get(priceId ?? "")?.name ?? "your plan";
}

function paymentOf(
  { payments }: CustomerState,
  { paymentIntentId }: InvoiceRow,
): Stripe.PaymentIntent | null {
  return payments.get(paymentIntentId ?? "") ?? null;
}

function cardOf(payment: Stripe.PaymentIntent | null): KnownCard | null {
  const card =
    (payment && chargeOf(payment)?.payment_method_details?.card) ??
    payment?.last_payment_error?.payment_method?.card;
  return card?.brand && card.last4 ? { brand: card.brand, last4: card.last4 } : null;
}

function cardOnFile({ card: { cardBrand, cardLast4 } }: CustomerState): KnownCard | null {
  return cardBrand && cardLast4 ? { brand: cardBrand, last4: cardLast4 } : null;
}
