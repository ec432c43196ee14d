import { and, desc, eq, inArray, ne, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { ENDED_STATUSES } from "../lifecycle.ts";
import { refundableNow } from "../refund-rule.ts";
import { customers, prices, products, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { mostUsefulFirst } from "../sync.server.ts";
import {
  type Card,
  expiresBefore,
  type InvoiceLine,
  type OpenPayment,
  type PlanOverview,
} from "./plan-overview.ts";
import { currentTime, listPaidInvoices } from "./refund.server.ts";
import { planChanges } from "./schema.ts";
import { withdrawalEnds } from "./withdrawal-rule.ts";

const nextPrices = alias(prices, "next_prices");
const nextProducts = alias(products, "next_products");
const wantedPrices = alias(prices, "wanted_prices");
const wantedProducts = alias(products, "wanted_products");

/** What a user pays for, or paid for last, with everything their pages say about it; `null`: nothing, ever. */
export async function readPlanOverview(
  { db, config }: Pick<App, "db" | "config">,
  userId: string,
): Promise<PlanOverview | null> {
  const row = await findLatest(db, userId);
  if (!row) return null;
  const { subscription, change, isOver } = row;
  const [openPayment, owed] = isOver
    ? [null, null]
    : await Promise.all([findOpenPayment(db, subscription.id), findWhatGoesBack(db, subscription.id)]);
  const price = asPrice(row.price);
  const hasAccess = subscription.accessUntil !== null && subscription.accessUntil.getTime() > Date.now();
  const nextPlan =
    row.nextPrice && row.nextName ? { name: row.nextName, price: asPrice(row.nextPrice) } : null;
  const wanted =
    row.wantedPrice && row.wantedName ? { name: row.wantedName, price: asPrice(row.wantedPrice) } : null;
  const isWaiting = change?.appliedAt && openPayment?.isForChange && wanted?.price.id !== price.id;
  return {
    subscriptionId: subscription.id,
    name: row.name,
    tier: subscription.tier,
    price,
    status: subscription.status,
    accessUntil: hasAccess ? subscription.accessUntil : null,
    currentPeriodEnd: subscription.currentPeriodEnd,
    trialEnd: subscription.status === "trialing" ? subscription.trialEnd : null,
    cancelAt: subscription.cancelAt,
    endedAt: subscription.endedAt,
    pause: subscription.pauseBehavior ? { until: subscription.resumesAt } : null,
    next: nextPayment(subscription, nextPlan?.price.unitAmount ?? price.unitAmount),
    nextPlan,
    openPayment,
    waitingPlan: isWaiting ? wanted : null,
    applying: change && !change.appliedAt ? change.kind : null,
    refundable: owed && owed.refundable.total > 0 ? owed.refundable : null,
    withdrawUntil: config.site.withdrawal && owed ? owed.withdrawUntil : null,
  };
}

async function findLatest(db: Queryable, userId: string) {
  const isOver = sql<boolean>`${inArray(stripeSubscriptions.status, ENDED_STATUSES)}`;
  const [row] = await db
    .select({
      subscription: stripeSubscriptions,
      isOver,
      price: prices,
      name: products.name,
      nextPrice: nextPrices,
      nextName: nextProducts.name,
      wantedPrice: wantedPrices,
      wantedName: wantedProducts.name,
      change: planChanges,
    })
    .from(stripeSubscriptions)
    .innerJoin(prices, eq(prices.id, stripeSubscriptions.priceId))
    .innerJoin(products, eq(products.id, prices.productId))
    .leftJoin(nextPrices, eq(nextPrices.id, stripeSubscriptions.nextPriceId))
    .leftJoin(nextProducts, eq(nextProducts.id, nextPrices.productId))
    .leftJoin(planChanges, eq(planChanges.subscriptionId, stripeSubscriptions.id))
    .leftJoin(wantedPrices, eq(wantedPrices.id, planChanges.priceId))
    .leftJoin(wantedProducts, eq(wantedProducts.id, wantedPrices.productId))
    .where(eq(stripeSubscriptions.userId, userId))
    .orderBy(isOver, mostUsefulFirst, desc(stripeSubscriptions.startedAt))
    .limit(1);
  return row ?? null;
}

function asPrice({ id, unitAmount, currency, interval }: typeof prices.$inferSelect) {
  return { id, unitAmount, currency, interval };
}

/** What is charged next, and when; `null`: nothing, because it ends, is paused, or waits for a payment. */
function nextPayment(
  subscription: typeof stripeSubscriptions.$inferSelect,
  amount: number,
): PlanOverview["next"] {
  const { status, cancelAt, pauseBehavior, nextAmount, nextPaymentAt, currentPeriodEnd } = subscription;
  if ((status !== "active" && status !== "trialing") || cancelAt || pauseBehavior) return null;
  return { amount: nextAmount ?? amount, at: nextPaymentAt ?? currentPeriodEnd };
}

/** The newest invoice of a subscription that is to be paid and was not. */
async function findOpenPayment(
  db: Queryable,
  subscriptionId: string,
): Promise<(OpenPayment & { isForChange: boolean }) | null> {
  const [invoice] = await db
    .select()
    .from(stripeInvoices)
    .where(and(eq(stripeInvoices.subscriptionId, subscriptionId), eq(stripeInvoices.status, "open")))
    .orderBy(desc(stripeInvoices.createdAt))
    .limit(1);
  if (!invoice) return null;
  const { amountDue, currency, needsAuthentication, hostedUrl, billingReason } = invoice;
  return {
    amount: amountDue,
    currency,
    needsAuthentication,
    url: hostedUrl,
    isForChange: billingReason === "subscription_update",
  };
}

/**
 * What the refund promise gives back of a subscription's payments, and until when its contract can be withdrawn from; `null`: no
 * longer, or nothing was paid.
 */
async function findWhatGoesBack(db: Queryable, subscriptionId: string) {
  const [invoices, now] = await Promise.all([listPaidInvoices(db, subscriptionId), currentTime(db)]);
  const [first] = invoices;
  const ends = first && first.amountPaid > 0 ? withdrawalEnds(first.paidAt) : null;
  return {
    refundable: refundableNow({ invoices, now }),
    withdrawUntil: ends && ends > now ? ends : null,
  };
}

/** The card on file. @param nextPayment for whether it expires first */
export async function findCard(
  db: Queryable,
  userId: string,
  nextPayment: Date | null,
): Promise<Card | null> {
  const [row] = await db.select().from(customers).where(eq(customers.userId, userId));
  if (!row?.cardBrand || !row.cardLast4 || !row.cardExpMonth || !row.cardExpYear) return null;
  const { cardBrand: brand, cardLast4: last4, cardExpMonth: expMonth, cardExpYear: expYear } = row;
  const expiresFirst = nextPayment !== null && expiresBefore({ expMonth, expYear }, nextPayment);
  return { brand, last4, expMonth, expYear, expiresFirst };
}

const paysForNothing = and(
  eq(stripeInvoices.status, "open"),
  inArray(stripeSubscriptions.status, ENDED_STATUSES),
);

/**
 * The user's invoices, the newest first, without drafts and those that came to nothing. One that is open after its plan has
 * ended has no page: paying it would buy nothing.
 */
export function listInvoices(db: Queryable, userId: string, limit: number): Promise<InvoiceLine[]> {
  return db
    .select({
      id: stripeInvoices.id,
      subscriptionId: stripeInvoices.subscriptionId,
      number: stripeInvoices.number,
      createdAt: stripeInvoices.createdAt,
      status: stripeInvoices.status,
      currency: stripeInvoices.currency,
      total: stripeInvoices.total,
      amountRefunded: stripeInvoices.amountRefunded,
      hostedUrl: sql<
        string | null
      >`CASE WHEN ${paysForNothing} THEN NULL ELSE ${stripeInvoices.hostedUrl} END`,
      pdfUrl: stripeInvoices.pdfUrl,
    })
    .from(stripeInvoices)
    .leftJoin(stripeSubscriptions, eq(stripeSubscriptions.id, stripeInvoices.subscriptionId))
    .where(
      and(
        eq(stripeInvoices.userId, userId),
        ne(stripeInvoices.status, "draft"),
        ne(stripeInvoices.status, "void"),
      ),
    )
    .orderBy(desc(stripeInvoices.createdAt), desc(stripeInvoices.id))
    .limit(limit);
}
