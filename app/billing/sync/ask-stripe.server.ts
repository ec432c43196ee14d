import { and, eq } from "drizzle-orm";
import type Stripe from "stripe";
import type { Database } from "../../db/client.server.ts";
import { ENDED_STATUSES } from "../lifecycle.ts";
import type { PaidBack } from "../notices/facts.ts";
import { stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { cardOnFile } from "./card.ts";
import { fetchBillingRecords, fetchDisputes, fetchRefunds, fetchSubscriptions } from "./fetch.server.ts";
import { fromUnixSeconds } from "./instants.ts";
import { type InvoiceRow, paymentIdsOf, subscriptionIdOf, toInvoiceRow } from "./invoice-row.ts";
import { type PlanPrices, pricesOf, purchasesOf } from "./plan-prices.server.ts";
import { isRenewing, type SubscriptionRow, toSubscriptionRow } from "./subscription-row.ts";

/** What Stripe has of a customer, as it is stored here. */
export interface Answer {
  card: ReturnType<typeof cardOnFile>;
  subscriptions: SubscriptionRow[];
  invoices: InvoiceRow[];
  /** The payments of its invoices, by id. */
  payments: Map<string, Stripe.PaymentIntent>;
  /** Why each subscription ended or will, in Stripe's words, by its id. */
  endReasons: Map<string, string>;
  /** Refunds that are not stored yet. */
  refunds: PaidBack[];
  planPrices: PlanPrices;
  /** Ids of subscriptions that are not ours: none of their prices is. */
  foreign: string[];
}

const NO_CARD = {
  paymentMethodId: null,
  cardBrand: null,
  cardLast4: null,
  cardExpMonth: null,
  cardExpYear: null,
};

/**
 * Asks Stripe for all there is about a customer. One request for somebody who never bought a plan, three for
 * somebody whose plan has ended, four or five for somebody who has one; all but the first at once. After those one for each
 * disputed payment, and one for each payment of which more was paid back than is known here, or whose plan has just ended.
 *
 * @throws Stripe's errors
 */
export async function askStripe(
  stripe: Stripe,
  db: Database,
  { userId, stripeCustomerId }: { userId: string; stripeCustomerId: string },
  graceDays: number,
): Promise<Answer> {
  const subscriptions = await fetchSubscriptions(stripe, stripeCustomerId);
  const planPrices = await pricesOf(stripe, db, subscriptions);
  const purchases = await purchasesOf(db, userId, subscriptions, planPrices);
  const own = new Set(purchases.map(({ subscription }) => subscription.id));
  const foreign = subscriptions.flatMap(({ id }) => (own.has(id) ? [] : [id]));
  if (purchases.length === 0) {
    return {
      ...{ subscriptions: [], invoices: [], refunds: [], payments: new Map(), endReasons: new Map() },
      ...{ card: NO_CARD, planPrices, foreign },
    };
  }

  const open = purchases.filter(({ subscription }) => !ENDED_STATUSES.includes(subscription.status));
  const records = await fetchBillingRecords(
    stripe,
    stripeCustomerId,
    open.length > 0,
    open.filter(isRenewing).map(({ subscription }) => subscription.id),
  );
  const ownInvoices = records.invoices.filter((invoice) => own.has(subscriptionIdOf(invoice) ?? ""));
  const payments = new Map(
    ownInvoices.flatMap(paymentIdsOf).flatMap((id) => {
      const payment = records.payments.get(id);
      return payment ? [[id, payment]] : [];
    }),
  );
  const disputes = await fetchDisputes(stripe, payments.values());
  const invoices = ownInvoices.map((invoice) => toInvoiceRow(invoice, payments, disputes));
  return {
    card: records.customer
      ? cardOnFile(
          records.customer,
          open.map(({ subscription }) => subscription),
        )
      : NO_CARD,
    subscriptions: purchases.map((purchase) => {
      const { id } = purchase.subscription;
      const itsInvoices = invoices.filter(({ subscriptionId }) => subscriptionId === id);
      return toSubscriptionRow(purchase, itsInvoices, records.previews.get(id) ?? null, graceDays);
    }),
    invoices,
    payments,
    endReasons: new Map(
      purchases.flatMap(({ subscription: { id, cancellation_details: details } }) =>
        details?.reason ? [[id, details.reason]] : [],
      ),
    ),
    refunds: await newRefunds(stripe, db, userId, {
      invoices,
      ended: purchases.flatMap(({ subscription: { id, status } }) => (status === "canceled" ? [id] : [])),
    }),
    planPrices,
    foreign,
  };
}

/**
 * The refunds of invoices of which more was paid back than is stored; of a subscription that has just ended all of them, since
 * those that ended it are told once it has (notices.ts).
 *
 * @param ended the subscriptions that have ended
 */
async function newRefunds(
  stripe: Stripe,
  db: Database,
  userId: string,
  { invoices, ended }: { invoices: readonly InvoiceRow[]; ended: readonly string[] },
): Promise<PaidBack[]> {
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
      amountRefunded > (justEnded.has(subscriptionId ?? "") ? 0 : (known.get(id) ?? 0)),
  );
  const refunds = await fetchRefunds(
    stripe,
    grown.flatMap(({ paymentIntentId }) => paymentIntentId ?? []),
  );
  return grown.flatMap((invoice) =>
    (refunds.get(invoice.paymentIntentId ?? "") ?? [])
      .filter(({ status }) => status !== "failed" && status !== "canceled")
      .map(({ id, amount, created, metadata }) => ({
        id,
        invoiceId: invoice.id,
        amount,
        createdAt: fromUnixSeconds(created),
        endsPlan: metadata?.ends_subscription !== undefined,
      })),
  );
}
