import { and, eq, lt, notInArray, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { closeAttempt, findOpenAttempt } from "./checkout-attempt.server.ts";
import { customers, prices, products, stripeSubscriptions } from "./schema.ts";
import { drawSyncTicket } from "./sync-ticket.server.ts";

/** Stripe's final statuses of a subscription; in any other it blocks a second one. */
const ENDED_STATUSES = ["canceled", "incomplete_expired"];

/** What access and mail depend on besides Stripe. */
export type SyncSettings = Pick<Config, "graceDays" | "site">;

/**
 * Fetches a customer's subscriptions from Stripe and stores them: the only writer of `stripe_subscriptions`. Safe to
 * run at any time, any number of times, by several processes at once: each run draws a ticket before its request, and
 * an answer never overwrites one that was requested later. Called by the webhook's job, the page after payment and the
 * operator.
 *
 * Ignores subscriptions whose price is not ours (no tier, another period): they were sold elsewhere.
 *
 * @throws Stripe's errors when it cannot be reached; nothing is changed then
 */
export async function syncCustomer(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  stripeCustomerId: string,
): Promise<void> {
  const [customer] = await db
    .select()
    .from(customers)
    .where(eq(customers.stripeCustomerId, stripeCustomerId));
  // A customer of another application on the same Stripe account.
  if (!customer) return;

  const ticket = await drawSyncTicket(db);
  const subscriptions = await stripe.subscriptions
    .list({ customer: stripeCustomerId, status: "all", limit: 100 })
    .autoPagingToArray({ limit: 1000 });

  const tierOf = await tiersByPrice(stripe, db, subscriptions);
  const purchases = await listPurchases(db, customer.userId);
  const rows = subscriptions.flatMap((subscription) => {
    const purchase = purchaseOf(subscription, tierOf, purchases);
    return purchase
      ? [{ ...toRow(subscription), ...purchase, userId: customer.userId, syncTicket: ticket }]
      : [];
  });

  await db.transaction(async (tx) => {
    for (const row of rows) {
      await tx
        .insert(stripeSubscriptions)
        .values(row)
        .onConflictDoUpdate({
          target: stripeSubscriptions.id,
          set: { ...row, tier: tierAtPurchase, updatedAt: sql`now()` },
          setWhere: lt(stripeSubscriptions.syncTicket, ticket),
        });
    }
    await tx
      .update(stripeSubscriptions)
      .set({ status: "canceled", syncTicket: ticket, updatedAt: sql`now()` })
      .where(
        and(
          eq(stripeSubscriptions.userId, customer.userId),
          lt(stripeSubscriptions.syncTicket, ticket),
          notInArray(
            stripeSubscriptions.id,
            rows.map((row) => row.id),
          ),
        ),
      );
  });

  const attempt = await findOpenAttempt(db, customer.userId);
  if (attempt && (await findOpenSubscription(db, customer.userId)))
    await closeAttempt(stripe, db, attempt.id);
}

/** A subscription keeps its tier for as long as its price stays the same, even if the product's tier changes. */
const tierAtPurchase = sql`CASE
  WHEN ${stripeSubscriptions.priceId} = excluded.price_id THEN ${stripeSubscriptions.tier}
  ELSE excluded.tier
END`;

/**
 * The user's paid subscription that has not ended, or `null`. It may be past due and give no access, but a second one
 * would charge the user twice.
 */
export async function findOpenSubscription(db: Queryable, userId: string) {
  const [open] = await db.select().from(stripeSubscriptions).where(openSubscriptionOf(userId));
  return open ?? null;
}

/** A condition on `stripe_subscriptions`: the user's subscriptions that have not ended. */
export function openSubscriptionOf(userId: string) {
  return and(eq(stripeSubscriptions.userId, userId), notInArray(stripeSubscriptions.status, ENDED_STATUSES));
}

/**
 * Enqueues a sync of every customer whose subscription is stored as active although its paid period has ended: the
 * webhook of the renewal, or of the end, is late or lost. Safe to run at any time; at most one job per customer and
 * minute.
 */
export async function enqueueOverdueSyncs(db: Queryable): Promise<void> {
  await db.execute(sql`
    INSERT INTO outbox (kind, dedupe_key, payload)
    SELECT 'sync_customer', customers.stripe_customer_id,
      jsonb_build_object('stripeCustomerId', customers.stripe_customer_id)
    FROM customers JOIN stripe_subscriptions USING (user_id)
    WHERE status IN ('active', 'trialing') AND current_period_end < now()
      AND stripe_subscriptions.updated_at < now() - interval '1 minute'
      AND NOT EXISTS (
        SELECT FROM outbox AS waiting
        WHERE waiting.done_at IS NULL AND waiting.kind = 'sync_customer'
          AND waiting.dedupe_key = customers.stripe_customer_id
      )
    ON CONFLICT DO NOTHING`);
}

/** The tier of every mirrored price. Syncs the catalogue first when a subscription has a price it does not know. */
async function tiersByPrice(stripe: Stripe, db: Database, subscriptions: Stripe.Subscription[]) {
  const readTiers = async () =>
    new Map(
      (
        await db
          .select({ priceId: prices.id, tier: products.tier })
          .from(prices)
          .innerJoin(products, eq(products.id, prices.productId))
      ).map((row) => [row.priceId, row.tier]),
    );
  const tiers = await readTiers();
  if (subscriptions.every((subscription) => tiers.has(firstItem(subscription).price.id))) return tiers;
  await syncCatalogue(stripe, db);
  return readTiers();
}

type Purchase = Pick<typeof stripeSubscriptions.$inferSelect, "priceId" | "tier">;

async function listPurchases(db: Database, userId: string): Promise<Map<string, Purchase>> {
  const rows = await db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.userId, userId));
  return new Map(rows.map(({ id, priceId, tier }) => [id, { priceId, tier }]));
}

/**
 * The price and tier of a subscription; for one that was moved to a price we do not sell, as stored before.
 *
 * @returns `null` when it was never ours
 */
function purchaseOf(
  subscription: Stripe.Subscription,
  tierOf: Awaited<ReturnType<typeof tiersByPrice>>,
  purchases: Map<string, Purchase>,
): Purchase | null {
  const priceId = firstItem(subscription).price.id;
  const tier = tierOf.get(priceId);
  return tier ? { priceId, tier } : (purchases.get(subscription.id) ?? null);
}

function toRow(subscription: Stripe.Subscription) {
  const item = firstItem(subscription);
  return {
    id: subscription.id,
    status: subscription.status,
    currentPeriodEnd: fromUnixSeconds(item.current_period_end),
    cancelAt: cancelInstant(subscription, item),
    startedAt: fromUnixSeconds(subscription.start_date),
  };
}

/** Each subscription has one price. @throws when Stripe returns none */
function firstItem(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  const item = subscription.items.data[0];
  if (!item) throw new Error(`subscription ${subscription.id} has no item`);
  return item;
}

function cancelInstant(subscription: Stripe.Subscription, item: Stripe.SubscriptionItem): Date | null {
  if (subscription.cancel_at) return fromUnixSeconds(subscription.cancel_at);
  return subscription.cancel_at_period_end ? fromUnixSeconds(item.current_period_end) : null;
}

function fromUnixSeconds(seconds: number): Date {
  return new Date(seconds * 1000);
}
