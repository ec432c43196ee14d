import { and, eq, lt, notInArray, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { Database, Queryable } from "../db/client.server.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { closeAttempt, findOpenAttempt } from "./checkout-attempt.server.ts";
import { customers, prices, products, stripeSubscriptions } from "./schema.ts";
import { drawSyncTicket } from "./sync-ticket.server.ts";

/** Stripe's states of a subscription that is over for good; any other blocks a second one. */
const OVER = ["canceled", "incomplete_expired"];

/**
 * Makes what we know of a customer's subscriptions equal to what Stripe knows, by asking Stripe: the one writer
 * of `stripe_subscriptions`. Safe to run at any time, any number of times, by several processes at once: each
 * run draws a ticket before it asks, and an answer never overwrites one that was asked for later. Called by the
 * webhook's job, by the page after payment and by the operator alike.
 *
 * A subscription whose price is not ours (no tier, another period) was sold elsewhere and is left alone.
 *
 * @throws Stripe's errors when it cannot be reached; nothing is changed then
 */
export async function syncCustomer(stripe: Stripe, db: Database, stripeCustomerId: string): Promise<void> {
  const [customer] = await db
    .select()
    .from(customers)
    .where(eq(customers.stripeCustomerId, stripeCustomerId));
  // Somebody else's customer on the same Stripe account: none of ours pays with it.
  if (!customer) return;

  const ticket = await drawSyncTicket(db);
  const subscriptions = await stripe.subscriptions
    .list({ customer: stripeCustomerId, status: "all", limit: 100 })
    .autoPagingToArray({ limit: 1000 });

  const tierOf = await tiersByPrice(stripe, db, subscriptions);
  const known = await boughtHere(db, customer.userId);
  const found = subscriptions.flatMap((subscription) => {
    const bought = whatWasBought(subscription, tierOf, known);
    return bought ? [{ ...toRow(subscription), ...bought, userId: customer.userId, syncTicket: ticket }] : [];
  });

  await db.transaction(async (tx) => {
    for (const row of found) {
      await tx
        .insert(stripeSubscriptions)
        .values(row)
        .onConflictDoUpdate({
          target: stripeSubscriptions.id,
          set: { ...row, tier: tierBought, updatedAt: sql`now()` },
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
            found.map((row) => row.id),
          ),
        ),
      );
  });

  const attempt = await findOpenAttempt(db, customer.userId);
  if (attempt && (await findOpenSubscription(db, customer.userId)))
    await closeAttempt(stripe, db, attempt.id);
}

/** Who goes on paying the same price keeps what it meant when they bought it, whatever the plan is worth by now. */
const tierBought = sql`CASE
  WHEN ${stripeSubscriptions.priceId} = excluded.price_id THEN ${stripeSubscriptions.tier}
  ELSE excluded.tier
END`;

/**
 * The paid subscription of the user that is not over, or `null`. It may be in arrears and give no access, but a
 * second one would charge twice.
 */
export async function findOpenSubscription(db: Queryable, userId: string) {
  const [open] = await db.select().from(stripeSubscriptions).where(isOpenFor(userId));
  return open ?? null;
}

/** The condition on `stripe_subscriptions` for what the user pays for and is not over. */
export function isOpenFor(userId: string) {
  return and(eq(stripeSubscriptions.userId, userId), notInArray(stripeSubscriptions.status, OVER));
}

/**
 * Asks for a sync of everybody whose paid period is over by the clock and not by what Stripe last told: the news of
 * the renewal, or of the end, was late or lost. Safe to run at any time; one job a customer, once a minute at most.
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

async function tiersByPrice(stripe: Stripe, db: Database, subscriptions: Stripe.Subscription[]) {
  const read = async () =>
    new Map(
      (
        await db
          .select({ priceId: prices.id, tier: products.tier })
          .from(prices)
          .innerJoin(products, eq(products.id, prices.productId))
      ).map((row) => [row.priceId, row.tier]),
    );
  const known = await read();
  if (subscriptions.every((subscription) => known.has(firstItem(subscription).price.id))) return known;
  await syncCatalogue(stripe, db);
  return read();
}

type Bought = Pick<typeof stripeSubscriptions.$inferSelect, "priceId" | "tier">;

async function boughtHere(db: Database, userId: string): Promise<Map<string, Bought>> {
  const rows = await db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.userId, userId));
  return new Map(rows.map(({ id, priceId, tier }) => [id, { priceId, tier }]));
}

/**
 * What a subscription gives: by its price, or, when it was moved to one we do not sell, what it gave before.
 * `null` when it was never ours.
 */
function whatWasBought(
  subscription: Stripe.Subscription,
  tierOf: Awaited<ReturnType<typeof tiersByPrice>>,
  known: Map<string, Bought>,
): Bought | null {
  const priceId = firstItem(subscription).price.id;
  const tier = tierOf.get(priceId);
  return tier ? { priceId, tier } : (known.get(subscription.id) ?? null);
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

/** We sell one price a subscription. @throws when Stripe shows none */
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
