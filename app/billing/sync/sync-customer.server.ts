import { and, eq, getTableColumns, lt, notInArray, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { user } from "../../auth/schema.ts";
import type { Database, Queryable } from "../../db/client.server.ts";
import type { Site } from "../../ui/site.ts";
import { closeAttempt, findOpenAttempt } from "../checkout-attempt.server.ts";
import { findCustomer } from "../customer.server.ts";
import { NO_ACCESS } from "../lifecycle.ts";
import { noticesOf } from "../notices/notices.ts";
import { sendOnce } from "../notices/send-once.server.ts";
import { findOpenSubscription } from "../open-subscription.server.ts";
import { reopenWonRefunds } from "../plan/plan-change-request.server.ts";
import { customers, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { drawSyncTicket, type StripeApp } from "../stripe.server.ts";
import { type CustomerState, fetchCustomerState } from "./customer-state.server.ts";

/**
 * Fetches everything Stripe has about a customer and stores it: the only writer of `stripe_subscriptions`, `stripe_invoices` and
 * the card. Safe to repeat and to run concurrently: an answer never overwrites one that was requested later.
 * @returns ids of subscriptions that were sold elsewhere. @throws Stripe's errors; nothing is changed then
 */
export async function syncCustomer(app: StripeApp, stripeCustomerId: string): Promise<string[]> {
  const { db, config } = app;
  const [customer] = await db
    .select()
    .from(customers)
    .where(eq(customers.stripeCustomerId, stripeCustomerId));
  // Belongs to another application on the same Stripe account.
  if (!customer) return [];

  const ticket = await drawSyncTicket(db);
  const answer = await fetchCustomerState(app, customer);
  await storeCustomerState(db, config.site, customer, ticket, answer);

  const attempt = await findOpenAttempt(db, customer.userId);
  if (attempt && (await findOpenSubscription(db, customer.userId))) await closeAttempt(app, attempt.id);
  return answer.foreign;
}

/** As `syncCustomer`, for a user who may not be a customer yet. */
export async function syncUser(app: StripeApp, userId: string): Promise<void> {
  const customer = await findCustomer(app.db, userId);
  if (customer) await syncCustomer(app, customer);
}

/** Unless a later answer is stored; mails what is new. @param ticket drawn before the first request */
export async function storeCustomerState(
  db: Database,
  site: Site,
  { userId, stripeCustomerId }: { userId: string; stripeCustomerId: string },
  ticket: bigint,
  answer: CustomerState,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The user's row first, as `lockUser` does, against deadlocks.
    const [owner] = await tx
      .select({ email: user.email })
      .from(user)
      .where(eq(user.id, userId))
      .for("key share");
    if (!owner) return;
    const [current] = await tx
      .update(customers)
      .set({ ...answer.card, syncedAt: sql`now()`, syncTicket: ticket })
      .where(
        and(
          eq(customers.userId, userId),
          eq(customers.stripeCustomerId, stripeCustomerId),
          lt(customers.syncTicket, ticket),
        ),
      )
      .returning({ now: customers.syncedAt });
    if (!current?.now) return;
    await storeSubscriptions(tx, userId, ticket, answer);
    await storeInvoices(tx, userId, ticket, answer);
    await reopenWonRefunds(tx, userId);
    await sendOnce(tx, site, { userId, email: owner.email }, noticesOf(answer, current.now), current.now);
  });
}

async function storeSubscriptions(
  tx: Queryable,
  userId: string,
  syncTicket: bigint,
  { subscriptions }: CustomerState,
): Promise<void> {
  if (subscriptions.length > 0) {
    await tx
      .insert(stripeSubscriptions)
      .values(subscriptions.map((row) => ({ ...row, userId, syncTicket })))
      .onConflictDoUpdate({
        target: stripeSubscriptions.id,
        set: { ...incoming(stripeSubscriptions), tier: tierAtPurchase, updatedAt: sql`now()` },
        // Processes of the previous version store without locking the customer's row.
        setWhere: lt(stripeSubscriptions.syncTicket, syncTicket),
      });
  }
  // What Stripe no longer lists has ended.
  await tx
    .update(stripeSubscriptions)
    .set({ status: "canceled", accessUntil: NO_ACCESS, syncTicket, updatedAt: sql`now()` })
    .where(
      and(
        eq(stripeSubscriptions.userId, userId),
        lt(stripeSubscriptions.syncTicket, syncTicket),
        notInArray(
          stripeSubscriptions.id,
          subscriptions.map(({ id }) => id),
        ),
      ),
    );
}

/** Kept for as long as the price stays the same, even if the product's tier changes. */
const tierAtPurchase = sql`CASE
  WHEN ${stripeSubscriptions.priceId} = excluded.price_id THEN ${stripeSubscriptions.tier}
  ELSE excluded.tier
END`;

async function storeInvoices(
  tx: Queryable,
  userId: string,
  syncTicket: bigint,
  { invoices }: CustomerState,
): Promise<void> {
  if (invoices.length > 0) {
    await tx
      .insert(stripeInvoices)
      .values(invoices.map((row) => ({ ...row, userId, syncTicket })))
      .onConflictDoUpdate({
        target: stripeInvoices.id,
        set: { ...incoming(stripeInvoices), updatedAt: sql`now()` },
      });
  }
  // Stripe deletes only drafts. Older invoices stay stored although they are no longer fetched.
  await tx.delete(stripeInvoices).where(
    and(
      eq(stripeInvoices.userId, userId),
      eq(stripeInvoices.status, "draft"),
      notInArray(
        stripeInvoices.id,
        invoices.map(({ id }) => id),
      ),
    ),
  );
}

function incoming(table: PgTable): Record<string, SQL> {
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, { name }]) => [key, sql.raw(`excluded."${name}"`)]),
  );
}
