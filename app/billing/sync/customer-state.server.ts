import { and, eq } from "drizzle-orm";
import type Stripe from "stripe";
import { ENDED_STATUSES } from "../lifecycle.ts";
import { ENDED_WITH_REFUND } from "../plan/rules.ts";
import { stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { isInvalidRequest, isMissing, type StripeApp } from "../stripe.server.ts";
import { type Purchase, pricesOf, purchasesOf } from "./plan-prices.server.ts";
import {
  cardOnFile,
  chargeOf,
  fromUnixSeconds,
  type InvoiceRow,
  isRenewing,
  paymentIdsOf,
  subscriptionIdOf,
  toInvoiceRow,
  toSubscriptionRow,
} from "./rows.ts";

export type CustomerState = Awaited<ReturnType<typeof fetchCustomerState>>;

/**
 * One request without a plan, three to five with one, and one for each payment that is disputed or newly refunded.
 * @param hasAllRefunds also those that are stored. @throws Stripe's errors
 */
export async function fetchCustomerState(
  app: StripeApp,
  { userId, stripeCustomerId }: { userId: string; stripeCustomerId: string },
  { hasAllRefunds = false } = {},
) {
  const { stripe, db } = app;
  const subscriptions = await fetchSubscriptions(stripe, stripeCustomerId);
  const planPrices = await pricesOf(stripe, db, subscriptions);
  const purchases = await purchasesOf(db, userId, subscriptions, planPrices);
  const own = new Set(purchases.map(({ subscription }) => subscription.id));
  const open = purchases.filter(({ subscription }) => !ENDED_STATUSES.includes(subscription.status));
  const records =
    purchases.length > 0 ? await fetchBillingRecords(stripe, stripeCustomerId, open) : NO_RECORDS;
  const ownInvoices = records.invoices.filter((invoice) => own.has(subscriptionIdOf(invoice) ?? ""));
  const payments = new Map(
    ownInvoices.flatMap(paymentIdsOf).flatMap((id) => {
      const payment = records.payments.get(id);
      return payment ? [[id, payment]] : [];
    }),
  );
  const disputes = await fetchDisputes(stripe, payments.values());
  const invoices = ownInvoices.map((invoice) => toInvoiceRow(invoice, payments, disputes));
  const ended = purchases.flatMap(({ subscription: { id, status } }) => (status === "canceled" ? [id] : []));
  return {
    card: cardOnFile(
      records.customer,
      open.map(({ subscription }) => subscription),
    ),
    subscriptions: purchases.map((purchase) => {
      const { id } = purchase.subscription;
      const itsInvoices = invoices.filter(({ subscriptionId }) => subscriptionId === id);
      return toSubscriptionRow(purchase, itsInvoices, records.previews.get(id) ?? null, app.config.graceDays);
    }),
    invoices,
    payments,
    endReasons: new Map<string, string>(
      purchases.flatMap(({ subscription: { id, cancellation_details: details } }) =>
        details?.reason ? [[id, details.comment === ENDED_WITH_REFUND ? "refunded" : details.reason]] : [],
      ),
    ),
    /** Those that are not stored yet; with `hasAllRefunds`, all that did not fail. */
    refunds: await newRefunds(app, userId, invoices, ended, hasAllRefunds),
    planPrices,
    /** Subscriptions with none of our prices. */
    foreign: subscriptions.flatMap(({ id }) => (own.has(id) ? [] : [id])),
  };
}

/** For a subscription that has just ended, all of them, which are mailed then (notices.ts). */
async function newRefunds(
  { stripe, db }: StripeApp,
  userId: string,
  invoices: readonly InvoiceRow[],
  ended: readonly string[],
  hasAllRefunds: boolean,
) {
  if (invoices.length === 0) return [];
  const [storedInvoices, storedEnds] = await Promise.all([
    db
      .select({ id: stripeInvoices.id, amountRefunded: stripeInvoices.amountRefunded })
      .from(stripeInvoices)
      .where(eq(stripeInvoices.userId, userId)),
    db
      .select({ id: stripeSubscriptions.id })
      .from(stripeSubscriptions)
      .where(and(eq(stripeSubscriptions.userId, userId), eq(stripeSubscriptions.status, "canceled"))),
  ]);
  const known = new Map(storedInvoices.map(({ id, amountRefunded }) => [id, amountRefunded]));
  const justEnded = new Set(ended).difference(new Set(storedEnds.map(({ id }) => id)));
  const grown = invoices.filter(
    ({ id, amountRefunded, subscriptionId }) =>
      amountRefunded > (hasAllRefunds || justEnded.has(subscriptionId ?? "") ? 0 : (known.get(id) ?? 0)),
  );
  const refunds = await Promise.all(
    grown.map(async ({ id: invoiceId, paymentIntentId }) => {
      if (!paymentIntentId) return [];
      const { data } = await stripe.refunds.list({ payment_intent: paymentIntentId, limit: PAGE_SIZE });
      return data
        .filter(({ status }) => status !== "failed" && status !== "canceled")
        .map(({ id, amount, created, metadata }) => ({
          id,
          invoiceId,
          amount,
          createdAt: fromUnixSeconds(created),
          endsPlan: metadata?.ends_subscription !== undefined,
        }));
    }),
  );
  return refunds.flat();
}

const PAGE_SIZE = 100;
/** Of a customer's subscriptions, invoices and payments, the newest. */
const MAX_RECORDS = 1000;

function fetchSubscriptions(stripe: Stripe, customer: string): Promise<Stripe.Subscription[]> {
  return stripe.subscriptions
    .list({
      customer,
      status: "all",
      limit: PAGE_SIZE,
      expand: ["data.default_payment_method", "data.schedule"],
    })
    .autoPagingToArray({ limit: MAX_RECORDS })
    .catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      // A customer deleted at Stripe has no subscriptions. One of other API keys stays an error.
      const { deleted } = await stripe.customers.retrieve(customer);
      if (deleted) return [];
      throw error;
    });
}

type BillingRecords = Awaited<ReturnType<typeof fetchBillingRecords>>;

const NO_RECORDS: BillingRecords = { customer: null, invoices: [], payments: new Map(), previews: new Map() };

async function fetchBillingRecords(stripe: Stripe, customer: string, open: readonly Purchase[]) {
  const renewing = open.filter(isRenewing).map(({ subscription }) => subscription.id);
  const [record, invoices, payments, ...previews] = await Promise.all([
    open.length > 0
      ? stripe.customers.retrieve(customer, { expand: ["invoice_settings.default_payment_method"] })
      : null,
    stripe.invoices
      .list({ customer, limit: PAGE_SIZE, expand: ["data.payments"] })
      .autoPagingToArray({ limit: MAX_RECORDS }),
    // Invoices list their payments without their outcome, and an expansion would be one level too deep.
    stripe.paymentIntents
      .list({ customer, limit: PAGE_SIZE, expand: ["data.latest_charge.refunds"] })
      .autoPagingToArray({ limit: MAX_RECORDS }),
    ...renewing.map((subscription) => fetchPreview(stripe, subscription)),
  ]);
  return {
    customer: record,
    invoices,
    payments: new Map(payments.map((payment) => [payment.id, payment])),
    previews: new Map(renewing.flatMap((id, index) => (previews[index] ? [[id, previews[index]]] : []))),
  };
}

/** `null`: the subscription changed since it was listed, and its event follows. */
async function fetchPreview(stripe: Stripe, subscription: string): Promise<Stripe.Invoice | null> {
  // Without an idempotency key, which would bring back yesterday's answer.
  return stripe.invoices.createPreview({ subscription }).catch((error: unknown) => {
    if (!isInvalidRequest(error)) throw error;
    return null;
  });
}

async function fetchDisputes(
  stripe: Stripe,
  payments: Iterable<Stripe.PaymentIntent>,
): Promise<Map<string, Stripe.Dispute>> {
  const disputed = [...payments].filter((payment) => chargeOf(payment)?.disputed);
  const found = await Promise.all(
    disputed.map(async ({ id }) => {
      const { data } = await stripe.disputes.list({ payment_intent: id, limit: 1 });
      return data.map((dispute) => [id, dispute] as const);
    }),
  );
  return new Map(found.flat());
}
