import { and, desc, eq, inArray, notInArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Queryable } from "../../db/client.server.ts";
import { prepareOnce } from "../../db/prepare.server.ts";
import type { App } from "../../http/context.server.ts";
import { PLUS_TAX } from "../../ui/offer.ts";
import { cardBrandName } from "../card-brand.server.ts";
import { ENDED_STATUSES } from "../lifecycle.ts";
import { formatMoney, type Price } from "../plans.ts";
import { customers, planChanges, prices, products, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { declineReason, refundFailureReason } from "./decline-reason.server.ts";
import { REFUND_COLUMNS } from "./refund.server.ts";
import { isOver, type PaidInvoice, refundableNow, withdrawalEnds } from "./rules.ts";

const ALL_INVOICES = 1_000;

type Reader = Pick<App, "db" | "config">;

/** The current or last plan, with everything their pages show; `null`: never had one. */
export async function readPlanOverview(app: Reader, userId: string) {
  return (await readPlan(app, userId))?.plan ?? null;
}

/** Without refunds, which would require its invoices. */
export async function readPlanInForce(db: Queryable, userId: string) {
  const row = await findPlan(db, userId);
  return row && !row.isOver ? describePlan(row) : null;
}

const SHOWN_INVOICES = 12;

export async function readPlanAndPayments(reader: Reader, userId: string) {
  const found = await readPlan(reader, userId);
  if (!found) return null;
  const { plan, card, invoices } = found;
  const hasMoreInvoices = invoices.length > SHOWN_INVOICES;
  return { plan, card, invoices: invoices.slice(0, SHOWN_INVOICES), hasMoreInvoices };
}

async function readPlan({ db, config }: Reader, userId: string) {
  const row = await findPlan(db, userId);
  if (!row) return null;
  const invoices = await findInvoices(db).execute({ userId, limit: ALL_INVOICES });
  const paid = invoices.filter(
    ({ line }) => line.subscriptionId === row.subscription.id && line.status === "paid",
  );
  const refunds = paid.map(({ refund }) => refund).toReversed();
  const plan = { ...describePlan(row), ...whatGoesBack(row, refunds, config.site.withdrawal) };
  return { plan, card: describeCard(row.customer), invoices: invoices.map(toLine) };
}

type PlanRow = NonNullable<Awaited<ReturnType<typeof findPlan>>>;

const nextPrices = alias(prices, "next_prices");
const nextProducts = alias(products, "next_products");
const wantedPrices = alias(prices, "wanted_prices");
const wantedProducts = alias(products, "wanted_products");

const subscriptions = stripeSubscriptions;
const ended = sql<boolean>`${inArray(subscriptions.status, ENDED_STATUSES)}`;

const selectPlan = prepareOnce((db) =>
  db
    .select({
      subscription: subscriptions,
      isOver: ended,
      price: prices,
      product: products,
      nextPrice: nextPrices,
      nextProduct: nextProducts,
      wantedPrice: wantedPrices,
      wantedProduct: wantedProducts,
      change: planChanges,
      open: stripeInvoices,
      customer: customers,
      now: sql<Date>`now()`.mapWith(subscriptions.startedAt),
    })
    .from(subscriptions)
    .innerJoin(prices, eq(prices.id, subscriptions.priceId))
    .innerJoin(products, eq(products.id, prices.productId))
    .leftJoin(customers, eq(customers.userId, subscriptions.userId))
    .leftJoin(nextPrices, eq(nextPrices.id, subscriptions.nextPriceId))
    .leftJoin(nextProducts, eq(nextProducts.id, nextPrices.productId))
    .leftJoin(planChanges, eq(planChanges.subscriptionId, subscriptions.id))
    .leftJoin(wantedPrices, eq(wantedPrices.id, planChanges.priceId))
    .leftJoin(wantedProducts, eq(wantedProducts.id, wantedPrices.productId))
    .leftJoin(
      stripeInvoices,
      and(eq(stripeInvoices.subscriptionId, subscriptions.id), eq(stripeInvoices.status, "open")),
    )
    .where(eq(subscriptions.userId, sql.placeholder("userId")))
    .orderBy(
      ended,
      sql`${subscriptions.accessUntil} DESC NULLS LAST`,
      desc(subscriptions.startedAt),
      sql`${stripeInvoices.createdAt} DESC NULLS LAST`,
    )
    .limit(1)
    .prepare("plan"),
);

/** The newest subscription, one that is not over before others, with its newest unpaid invoice. */
async function findPlan(db: Queryable, userId: string) {
  const [row] = await selectPlan(db).execute({ userId });
  return row ?? null;
}

function toPrice({ id, unitAmount, currency, interval }: typeof prices.$inferSelect): Price {
  return { id, unitAmount, currency, interval };
}

function toNamedPrice(
  product: typeof products.$inferSelect | null,
  price: typeof prices.$inferSelect | null,
) {
  return product && price && { name: product.name, price: toPrice(price) };
}

/** Amounts are in minor units of the price's currency. */
function describePlan(row: PlanRow) {
  const { subscription, change, open } = row;
  const price = toPrice(row.price);
  const openPayment =
    row.isOver || !open
      ? null
      : {
          amount: open.amountDue,
          currency: open.currency,
          needsAuthentication: open.needsAuthentication,
          declineReason: open.needsAuthentication ? null : declineReason(open.declineCode),
          url: open.hostedUrl,
        };
  const hasAccess = subscription.accessUntil !== null && subscription.accessUntil > row.now;
  const nextPlan = toNamedPrice(row.nextProduct, row.nextPrice);
  const wanted = toNamedPrice(row.wantedProduct, row.wantedPrice);
  const isApplied = change !== null && change.appliedAt !== null;
  const next = nextPayment(subscription, (nextPlan?.price ?? price).unitAmount);
  const isForChange = openPayment !== null && open?.billingReason === "subscription_update";
  return {
    subscriptionId: subscription.id,
    productId: row.product.id,
    name: row.product.name,
    tier: subscription.tier,
    price,
    plusTax: subscription.isTaxed ? PLUS_TAX : "",
    status: subscription.status,
    accessUntil: hasAccess ? subscription.accessUntil : null,
    currentPeriodEnd: subscription.currentPeriodEnd,
    trialEnd: subscription.status === "trialing" ? subscription.trialEnd : null,
    /** Days by which the next payment was moved, until they are over. */
    daysGiven: subscription.status === "trialing" ? subscription.daysGiven : null,
    cancelAt: subscription.cancelAt,
    endedAt: subscription.endedAt,
    pause: subscription.pauseBehavior ? { until: subscription.resumesAt } : null,
    next,
    /** "Visa ending in 4242 expires 01/2027", if it does before the next payment. */
    expiringCard: next && describeExpiringCard(row.customer, next.at),
    nextPlan,
    openPayment,
    waitingPlan: isApplied && isForChange && wanted?.price.id !== price.id ? wanted : null,
    /** The request that is not at Stripe yet. */
    applying: isApplied ? null : (change?.kind ?? null),
    applyingNotice: change && !isApplied && !row.isOver ? describeApplying(change.kind) : null,
  };
}

/** What is being done, and what was asked for. */
const APPLYING = {
  cancel: ["Canceling your plan…", "your cancellation"],
  resume: ["Keeping your plan…", "that you keep your plan"],
  change: ["Changing your plan…", "your change of plan"],
  refund: ["Refunding your payment…", "your refund request"],
  withdraw: ["Withdrawing from your contract…", "your withdrawal"],
} as const;

function describeApplying(kind: keyof typeof APPLYING) {
  const [title, asked] = APPLYING[kind];
  const end =
    kind === "resume" || kind === "change" ? "" : " Nothing more will be charged once this is confirmed.";
  const text = `We’ve saved ${asked}, but our payment provider hasn’t confirmed it yet. You don’t need to do it again.${end}`;
  return { title, text };
}

function nextPayment(subscription: PlanRow["subscription"], amount: number) {
  const { status, cancelAt, pauseBehavior, nextAmount, nextPaymentAt, currentPeriodEnd } = subscription;
  if ((status !== "active" && status !== "trialing") || cancelAt || pauseBehavior) return null;
  return { amount: nextAmount ?? amount, at: nextPaymentAt ?? currentPeriodEnd };
}

function whatGoesBack({ isOver, now }: PlanRow, paid: readonly PaidInvoice[], isWithdrawable: boolean) {
  if (isOver) return { refundable: null, withdrawUntil: null, withdrawTotal: 0 };
  const [first] = paid;
  const ends = isWithdrawable && first && first.amountPaid > 0 ? withdrawalEnds(first.paidAt) : null;
  const refundable = refundableNow(paid, now);
  return {
    /** What the customer can have refunded now, and until when that amount stays. */
    refundable: refundable.total > 0 ? refundable : null,
    withdrawUntil: ends && ends > now ? ends : null,
    /** What a withdrawal pays back. */
    withdrawTotal: paid
      .filter(({ isDisputed }) => !isDisputed)
      .reduce((sum, { amountPaid, amountRefunded }) => sum + amountPaid - amountRefunded, 0),
  };
}

function describeCard(customer: PlanRow["customer"]) {
  if (!customer?.cardBrand || !customer.cardLast4 || !customer.cardExpMonth || !customer.cardExpYear)
    return null;
  const { cardBrand, cardLast4, cardExpMonth, cardExpYear } = customer;
  return {
    brand: cardBrandName(cardBrand),
    last4: cardLast4,
    expires: `expires ${String(cardExpMonth).padStart(2, "0")}/${cardExpYear}`,
    // A card is good to the end of its month.
    endsAt: Date.UTC(cardExpYear, cardExpMonth, 1),
  };
}

function describeExpiringCard(customer: PlanRow["customer"], nextPayment: Date): string | null {
  const card = describeCard(customer);
  return card && card.endsAt <= nextPayment.getTime()
    ? `${card.brand} ending in ${card.last4} ${card.expires}`
    : null;
}

/** The newest, without drafts and void ones. An open one of an ended plan has no page: paying it would buy nothing. */
export async function listInvoices(db: Queryable, userId: string, limit: number) {
  return (await findInvoices(db).execute({ userId, limit })).map(toLine);
}

type InvoiceRow = Awaited<ReturnType<ReturnType<typeof findInvoices>["execute"]>>[number];

function toLine({ line, planStatus }: InvoiceRow) {
  const { declineCode, hostedUrl, ...known } = line;
  const paysForNothing = line.status === "open" && planStatus !== null && isOver(planStatus);
  return {
    ...known,
    declineReason: declineReason(declineCode),
    ...refundFailureOf(line),
    hostedUrl: paysForNothing ? null : hostedUrl,
  };
}

function refundFailureOf({ refundFailed, refundFailure: reason, currency }: InvoiceRow["line"]) {
  const refundFailure = refundFailed > 0 ? refundFailureReason(reason) : null;
  const refundNotice =
    refundFailure &&
    `Your refund of ${formatMoney(refundFailed, currency)} didn’t arrive. ${refundFailure} We still owe it to you: contact us, and we’ll pay it another way.`;
  return { refundFailure, refundNotice };
}

const invoice = stripeInvoices;

const findInvoices = prepareOnce((db) =>
  db
    .select({
      line: {
        id: invoice.id,
        subscriptionId: invoice.subscriptionId,
        number: invoice.number,
        createdAt: invoice.createdAt,
        status: invoice.status,
        currency: invoice.currency,
        declineCode: invoice.declineCode,
        total: invoice.total,
        amountRefunded: invoice.amountRefunded,
        tax: invoice.tax,
        refundFailed: invoice.refundFailed,
        refundFailure: invoice.refundFailure,
        hostedUrl: invoice.hostedUrl,
        pdfUrl: invoice.pdfUrl,
      },
      refund: REFUND_COLUMNS,
      planStatus: stripeSubscriptions.status,
    })
    .from(invoice)
    .leftJoin(stripeSubscriptions, eq(stripeSubscriptions.id, invoice.subscriptionId))
    .leftJoin(prices, eq(prices.id, invoice.priceId))
    .leftJoin(products, eq(products.id, prices.productId))
    .where(and(eq(invoice.userId, sql.placeholder("userId")), notInArray(invoice.status, ["draft", "void"])))
    .orderBy(desc(invoice.createdAt), desc(invoice.id))
    .limit(sql.placeholder("limit"))
    .prepare("invoices"),
);
