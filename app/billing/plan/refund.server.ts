import { and, asc, eq, notInArray, sql } from "drizzle-orm";
import Stripe from "stripe";
import type { Queryable } from "../../db/client.server.ts";
import { firstOpeningOf } from "../../entitlements/features.server.ts";
import type { Tier } from "../../entitlements/tiers.ts";
import type { RefundJob } from "../job-kinds.server.ts";
import { prices, products, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { type StripeApp, withIdempotencyKey } from "../stripe.server.ts";
import { REFUND_SETTLED, REFUNDED_AGAIN } from "../sync/rows.ts";
import { syncCustomer, syncUser } from "../sync/sync-customer.server.ts";
import type { PlanChange } from "./plan-change-request.server.ts";
import { HARMLESS_DISPUTES, isOver, type PaidInvoice, refundableNow } from "./rules.ts";
import { endNow } from "./stripe-plan.server.ts";

/** Refunds what was due at the request, and ends the subscription. Safe to repeat: a key per invoice. @throws Stripe's errors */
export async function refundAndEnd(
  app: StripeApp,
  change: PlanChange,
  subscription: Stripe.Subscription,
): Promise<void> {
  const failures = await payBackDue(app, change);
  // First, so that nothing more is charged even if the refund fails.
  if (!isOver(subscription.status)) await endNow(app.stripe, subscription);
  // A change under way may have been charged until then.
  if (failures.length === 0) failures.push(...(await payBackDue(app, change)));
  if (failures.length > 0) throw failures[0];
}

/** @returns Stripe's errors; they do not stop the other payments */
async function payBackDue(
  app: StripeApp,
  { userId, subscriptionId, kind, requestedAt }: PlanChange,
): Promise<unknown[]> {
  await syncUser(app, userId);
  const paid = await listPaidInvoices(app.db, subscriptionId);
  const promised = new Set(refundableNow(paid, requestedAt).invoices.map(({ id }) => id));
  const due = paid.filter(({ id, isDisputed }) => (kind === "withdraw" ? !isDisputed : promised.has(id)));
  const failures: unknown[] = [];
  for (const invoice of due)
    await refundInvoice(app.stripe, subscriptionId, invoice).catch((error: unknown) => failures.push(error));
  return failures;
}

export async function currentTime(db: Queryable): Promise<Date> {
  const { rows } = await db.execute<{ now: string }>(sql`SELECT now()::text AS now`);
  return new Date(rows[0]?.now ?? Date.now());
}

/** The tier at purchase for the current price; for an earlier price, that of its product. */
const tierPaidFor = sql<Tier>`CASE
  WHEN ${stripeInvoices.priceId} = ${stripeSubscriptions.priceId} THEN ${stripeSubscriptions.tier}
  ELSE coalesce(${products.tier}, ${stripeSubscriptions.tier})
END`;

export const REFUND_COLUMNS = {
  id: stripeInvoices.id,
  amountPaid: stripeInvoices.amountPaid,
  amountRefunded: stripeInvoices.amountRefunded,
  paidAt: sql<Date>`coalesce(${stripeInvoices.paidAt}, ${stripeInvoices.createdAt})`.mapWith(
    stripeInvoices.createdAt,
  ),
  openedAt: firstOpeningOf(tierPaidFor),
  paymentIntentId: stripeInvoices.paymentIntentId,
  number: stripeInvoices.number,
  disputeStatus: stripeInvoices.disputeStatus,
  isDisputed: sql<boolean>`coalesce(${notInArray(stripeInvoices.disputeStatus, HARMLESS_DISPUTES)}, false)`,
};

type Paid = PaidInvoice &
  Pick<typeof stripeInvoices.$inferSelect, "paymentIntentId" | "number" | "disputeStatus">;

/** Oldest first, each with the promise of its plan. */
export function listPaidInvoices(db: Queryable, subscriptionId: string): Promise<Paid[]> {
  return db
    .select(REFUND_COLUMNS)
    .from(stripeInvoices)
    .innerJoin(stripeSubscriptions, eq(stripeSubscriptions.id, stripeInvoices.subscriptionId))
    .leftJoin(prices, eq(prices.id, stripeInvoices.priceId))
    .leftJoin(products, eq(products.id, prices.productId))
    .where(and(eq(stripeInvoices.subscriptionId, subscriptionId), eq(stripeInvoices.status, "paid")))
    .orderBy(asc(stripeInvoices.createdAt));
}

/** The key names the invoice's state, because Stripe repeats a refusal for the same key. */
async function refundInvoice(stripe: Stripe, subscriptionId: string, invoice: Paid): Promise<void> {
  // Nothing to pay, or paid outside Stripe.
  if (!invoice.paymentIntentId) return;
  const params: Stripe.RefundCreateParams = {
    payment_intent: invoice.paymentIntentId,
    reason: "requested_by_customer",
    // The mail about it may be written before the subscription has ended.
    metadata: { invoice: invoice.id, ends_subscription: subscriptionId },
  };
  const state = invoice.disputeStatus ? `-${invoice.disputeStatus}-${invoice.amountRefunded}` : "";
  await createRefund(stripe, params, `refund-${invoice.id}${state}`);
}

/** Decided by an operator. Safe to repeat, also after Stripe has forgotten the key. @throws Stripe's errors */
export async function refundPart(
  app: StripeApp,
  { key, stripeCustomerId, paymentIntentId, invoiceId, amount, endsSubscription, again }: RefundJob,
): Promise<void> {
  const { stripe } = app;
  const made = await stripe.refunds.list({ payment_intent: paymentIntentId, limit: 100 });
  const params: Stripe.RefundCreateParams = {
    payment_intent: paymentIntentId,
    amount,
    reason: "requested_by_customer",
    metadata: {
      invoice: invoiceId,
      decision: key,
      ...(endsSubscription && { ends_subscription: endsSubscription }),
      ...(again && { [REFUNDED_AGAIN]: "yes" }),
    },
  };
  if (again === "other")
    for (const { id, status } of made.data)
      if (status === "failed") await stripe.refunds.update(id, { metadata: { [REFUND_SETTLED]: key } });
  if (again !== "other" && !made.data.some(({ metadata }) => metadata?.decision === key))
    await createRefund(stripe, params, `refund-${key}`);
  await syncCustomer(app, stripeCustomerId);
}

async function createRefund(stripe: Stripe, params: Stripe.RefundCreateParams, key: string): Promise<void> {
  await withIdempotencyKey(key, (idempotencyKey) => stripe.refunds.create(params, { idempotencyKey })).catch(
    (error: unknown) => {
      if (!isBackAlready(error)) throw error;
    },
  );
}

/** Paid back already, or taken back in a dispute. */
function isBackAlready(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    (error.code === "charge_already_refunded" || error.code === "charge_disputed")
  );
}
