import { and, asc, eq, sql } from "drizzle-orm";
import Stripe from "stripe";
import type { Database, Queryable } from "../../db/client.server.ts";
import { loadFeatureStates } from "../../entitlements/features.server.ts";
import { firstOpening } from "../../entitlements/features.ts";
import type { Tier } from "../../entitlements/tiers.ts";
import { withIdempotencyKey } from "../idempotency.server.ts";
import { type PaidInvoice, type Refundable, refundableNow } from "../refund-rule.ts";
import { customers, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { type SyncSettings, syncCustomer } from "../sync.server.ts";
import { isOver } from "./states.ts";
import { endNow } from "./stripe-plan.server.ts";
import type { PlanChange } from "./wish.server.ts";

/**
 * Pays back what a customer asked to have back, and ends their subscription at once. Safe to repeat: each invoice has one key,
 * and Stripe itself refuses to pay back more than was paid. What was due when they asked is due, however much later this runs.
 *
 * @throws Stripe's errors: the job tries again
 */
export async function refundAndEnd(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  change: PlanChange,
  subscription: Stripe.Subscription,
): Promise<void> {
  const [customer] = await db.select().from(customers).where(eq(customers.userId, change.userId));
  // What was paid or refunded since, elsewhere too.
  if (customer) await syncCustomer(stripe, db, settings, customer.stripeCustomerId);
  const paid = await listPaidInvoices(db, change.subscriptionId);
  const due = change.kind === "withdraw" ? paid : await refundableOf(db, change, paid);
  for (const { id } of due)
    await refundInvoice(stripe, change, paid.find((invoice) => invoice.id === id) ?? { id });
  if (!isOver(subscription.status)) await endNow(stripe, subscription);
}

async function refundableOf(db: Database, change: PlanChange, invoices: PaidInvoice[]) {
  const [plan] = await db
    .select({ tier: stripeSubscriptions.tier })
    .from(stripeSubscriptions)
    .where(eq(stripeSubscriptions.id, change.subscriptionId));
  if (!plan) return [];
  const openedAt = await firstOpeningOf(db, plan.tier);
  return refundableNow({ invoices, openedAt, now: change.requestedAt }).invoices;
}

/** What the refund promise gives back for a subscription now, by the database's clock. */
export async function findRefundable(
  db: Queryable,
  subscription: { id: string; tier: Tier },
): Promise<Refundable> {
  const [invoices, openedAt, now] = await Promise.all([
    listPaidInvoices(db, subscription.id),
    firstOpeningOf(db, subscription.tier),
    currentTime(db),
  ]);
  return refundableNow({ invoices, openedAt, now });
}

async function firstOpeningOf(db: Queryable, tier: Tier): Promise<Date | null> {
  return firstOpening(tier, await loadFeatureStates(db));
}

async function currentTime(db: Queryable): Promise<Date> {
  const { rows } = await db.execute<{ now: string }>(sql`SELECT now()::text AS now`);
  return new Date(rows[0]?.now ?? Date.now());
}

/** The paid invoices of a subscription, the oldest first. */
export async function listPaidInvoices(
  db: Queryable,
  subscriptionId: string,
): Promise<(PaidInvoice & { paymentIntentId: string | null })[]> {
  const rows = await db
    .select()
    .from(stripeInvoices)
    .where(and(eq(stripeInvoices.subscriptionId, subscriptionId), eq(stripeInvoices.status, "paid")))
    .orderBy(asc(stripeInvoices.createdAt));
  return rows.map(({ id, amountPaid, amountRefunded, paidAt, createdAt, paymentIntentId }) => ({
    id,
    amountPaid,
    amountRefunded,
    paidAt: paidAt ?? createdAt,
    paymentIntentId,
  }));
}

/** Pays back what is left of an invoice's payment. */
async function refundInvoice(
  stripe: Stripe,
  { subscriptionId }: PlanChange,
  invoice: { id: string; paymentIntentId?: string | null },
): Promise<void> {
  // Without a payment there was nothing to pay, or it was settled outside Stripe.
  if (!invoice.paymentIntentId) return;
  const params: Stripe.RefundCreateParams = {
    payment_intent: invoice.paymentIntentId,
    reason: "requested_by_customer",
    // The mail about it may be written before the subscription has ended.
    metadata: { invoice: invoice.id, ends_subscription: subscriptionId },
  };
  await withIdempotencyKey(`refund-${invoice.id}`, (idempotencyKey) =>
    stripe.refunds.create(params, { idempotencyKey }),
  ).catch((error: unknown) => {
    if (!isAlreadyRefunded(error)) throw error;
  });
}

function isAlreadyRefunded(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "charge_already_refunded";
}
