import { desc, inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Queryable } from "../../db/client.server.ts";
import {
  type AnswerOf,
  ask,
  firstRow,
  type Given,
  map,
  momentPart,
  nested,
  type Part,
  prepare,
  rows,
} from "../../db/parts.server.ts";
import type { App } from "../../http/context.server.ts";
import { ENDED_STATUSES } from "../lifecycle.ts";
import { customers, planChanges, prices, products, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { type Card, expiresBefore, type InvoiceLine, type PlanOverview } from "./plan-overview.ts";
import { paidInvoicesPart } from "./refund.server.ts";
import { refundableNow, withdrawalEnds } from "./rules.ts";

/** Aliased, because what is asked about its invoices names the table, too. */
const own = alias(stripeSubscriptions, "own");
const nextPrices = alias(prices, "next_prices");
const nextProducts = alias(products, "next_products");
const wantedPrices = alias(prices, "wanted_prices");
const wantedProducts = alias(products, "wanted_products");

/** What a user pays for, or paid for last, with everything their pages say about it; `null`: nothing, ever. */
export async function readPlanOverview(
  { db, config }: Pick<App, "db" | "config">,
  userId: string,
): Promise<PlanOverview | null> {
  const row = await askForPlan(db, { userId });
  return row && describePlan(row, config.site.withdrawal);
}

const askForPlan = prepare<PlanRow | null, "userId">("plan", () => planPart(sql.placeholder("userId")));

type PlanRow = NonNullable<AnswerOf<ReturnType<typeof planPart>>>;

/** What `describePlan` describes, for a page that asks more. */
export function planPart(userId: Given) {
  const isOver = sql<boolean>`${inArray(own.status, ENDED_STATUSES)}`;
  return firstRow(
    {
      ...{ id: own.id, tier: own.tier, status: own.status, accessUntil: own.accessUntil },
      ...{ currentPeriodEnd: own.currentPeriodEnd, trialEnd: own.trialEnd, cancelAt: own.cancelAt },
      ...{ endedAt: own.endedAt, pauseBehavior: own.pauseBehavior, resumesAt: own.resumesAt },
      ...{ nextAmount: own.nextAmount, nextPaymentAt: own.nextPaymentAt },
      isOver,
      named: namedPrice(prices, products),
      next: namedPrice(nextPrices, nextProducts),
      wanted: namedPrice(wantedPrices, wantedProducts),
      change: sql<PlanOverview["applying"]>`${planChanges.kind}`,
      isApplied: sql<boolean>`${planChanges.appliedAt} IS NOT NULL`,
      openPayment: openPaymentPart(own.id),
      paid: paidInvoicesPart(own.id),
      now: momentPart(),
    },
    sql`FROM ${stripeSubscriptions} AS own
      JOIN ${prices} ON ${prices.id} = ${own.priceId}
      JOIN ${products} ON ${products.id} = ${prices.productId}
      LEFT JOIN ${prices} AS next_prices ON ${nextPrices.id} = ${own.nextPriceId}
      LEFT JOIN ${products} AS next_products ON ${nextProducts.id} = ${nextPrices.productId}
      LEFT JOIN ${planChanges} ON ${planChanges.subscriptionId} = ${own.id}
      LEFT JOIN ${prices} AS wanted_prices ON ${wantedPrices.id} = ${planChanges.priceId}
      LEFT JOIN ${products} AS wanted_products ON ${wantedProducts.id} = ${wantedPrices.productId}
      WHERE ${own.userId} = ${userId}
      ORDER BY ${isOver}, ${own.accessUntil} DESC NULLS LAST, ${desc(own.startedAt)}`,
  );
}

/** A plan's name and price, of tables that may have been joined in vain. */
function namedPrice(
  { id, unitAmount, currency, interval }: typeof prices | typeof nextPrices | typeof wantedPrices,
  { name }: typeof products | typeof nextProducts | typeof wantedProducts,
) {
  return nested({ id, unitAmount, currency, interval, name });
}

type NamedPrice = AnswerOf<ReturnType<typeof namedPrice>>;

function asPlan({ name, ...price }: NamedPrice): { name: string; price: PlanOverview["price"] } | null {
  return price.id === null ? null : { name, price };
}

/** What pages say of a plan that was read. @param isWithdrawable whether the site says how to withdraw from its contract */
export function describePlan(row: PlanRow, isWithdrawable: boolean): PlanOverview {
  const { name, ...price } = row.named;
  const openPayment = row.isOver ? null : row.openPayment;
  const owed = row.isOver ? null : whatGoesBack(row);
  const hasAccess = row.accessUntil !== null && row.accessUntil.getTime() > Date.now();
  const nextPlan = asPlan(row.next);
  const wanted = asPlan(row.wanted);
  const isWaiting = row.isApplied && openPayment?.isForChange && wanted?.price.id !== price.id;
  return {
    subscriptionId: row.id,
    name,
    tier: row.tier,
    price,
    status: row.status,
    accessUntil: hasAccess ? row.accessUntil : null,
    currentPeriodEnd: row.currentPeriodEnd,
    trialEnd: row.status === "trialing" ? row.trialEnd : null,
    cancelAt: row.cancelAt,
    endedAt: row.endedAt,
    pause: row.pauseBehavior ? { until: row.resumesAt } : null,
    next: nextPayment(row, nextPlan?.price.unitAmount ?? price.unitAmount),
    nextPlan,
    openPayment,
    waitingPlan: isWaiting ? wanted : null,
    applying: row.isApplied ? null : row.change,
    refundable: owed && owed.refundable.total > 0 ? owed.refundable : null,
    withdrawUntil: isWithdrawable && owed ? owed.withdrawUntil : null,
  };
}

/** What is charged next, and when; `null`: nothing, because it ends, is paused, or waits for a payment. */
function nextPayment(row: PlanRow, amount: number): PlanOverview["next"] {
  const { status, cancelAt, pauseBehavior, nextAmount, nextPaymentAt, currentPeriodEnd } = row;
  if ((status !== "active" && status !== "trialing") || cancelAt || pauseBehavior) return null;
  return { amount: nextAmount ?? amount, at: nextPaymentAt ?? currentPeriodEnd };
}

/** The newest invoice of a subscription that is to be paid and was not. */
function openPaymentPart(subscriptionId: Given) {
  const { amountDue, currency, needsAuthentication, hostedUrl, billingReason } = stripeInvoices;
  const invoice = firstRow(
    { amountDue, currency, needsAuthentication, hostedUrl, billingReason },
    sql`FROM ${stripeInvoices}
      WHERE ${stripeInvoices.subscriptionId} = ${subscriptionId} AND ${stripeInvoices.status} = 'open'
      ORDER BY ${stripeInvoices.createdAt} DESC`,
  );
  return map(
    invoice,
    (found) =>
      found && {
        amount: found.amountDue,
        currency: found.currency,
        needsAuthentication: found.needsAuthentication,
        url: found.hostedUrl,
        isForChange: found.billingReason === "subscription_update",
      },
  );
}

/**
 * What the refund promise gives back of a subscription's payments, and until when its contract can be withdrawn from; `null`: no
 * longer, or nothing was paid.
 */
function whatGoesBack({ paid, now }: Pick<PlanRow, "paid" | "now">) {
  const [first] = paid;
  const ends = first && first.amountPaid > 0 ? withdrawalEnds(first.paidAt) : null;
  return {
    refundable: refundableNow({ invoices: paid, now }),
    withdrawUntil: ends && ends > now ? ends : null,
  };
}

/** The card on file, and what `describeCard` says of it. */
export function cardPart(userId: Given) {
  const { cardBrand, cardLast4, cardExpMonth, cardExpYear } = customers;
  return firstRow(
    { cardBrand, cardLast4, cardExpMonth, cardExpYear },
    sql`FROM ${customers} WHERE ${customers.userId} = ${userId}`,
  );
}

/** @param nextPayment for whether it expires first */
export function describeCard(
  row: AnswerOf<ReturnType<typeof cardPart>>,
  nextPayment: Date | null,
): Card | null {
  if (!row?.cardBrand || !row.cardLast4 || !row.cardExpMonth || !row.cardExpYear) return null;
  const { cardBrand: brand, cardLast4: last4, cardExpMonth: expMonth, cardExpYear: expYear } = row;
  const expiresFirst = nextPayment !== null && expiresBefore({ expMonth, expYear }, nextPayment);
  return { brand, last4, expMonth, expYear, expiresFirst };
}

/**
 * The user's invoices, the newest first, without drafts and those that came to nothing. One that is open after its plan has
 * ended has no page: paying it would buy nothing.
 */
export function listInvoices(db: Queryable, userId: string, limit: number): Promise<InvoiceLine[]> {
  return ask(db, invoicesPart(userId, limit));
}

/** The same, for a page that asks more. */
export function invoicesPart(userId: Given, limit: number): Part<InvoiceLine[]> {
  const { id, subscriptionId, number, createdAt, status } = stripeInvoices;
  const { currency, total, amountRefunded, hostedUrl, pdfUrl } = stripeInvoices;
  const paysForNothing = sql`${status} = 'open' AND ${inArray(stripeSubscriptions.status, ENDED_STATUSES)}`;
  return rows(
    {
      ...{ id, subscriptionId, number, createdAt, status, currency, total, amountRefunded },
      hostedUrl: sql<string | null>`CASE WHEN ${paysForNothing} THEN NULL ELSE ${hostedUrl} END`,
      pdfUrl,
    },
    sql`FROM ${stripeInvoices}
      LEFT JOIN ${stripeSubscriptions} ON ${stripeSubscriptions.id} = ${subscriptionId}
      WHERE ${stripeInvoices.userId} = ${userId} AND ${status} NOT IN ('draft', 'void')
      ORDER BY ${desc(createdAt)}, ${desc(id)}
      LIMIT ${limit}`,
  );
}
