import { and, eq, getTableColumns, lt, notInArray, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { user } from "../../auth/schema.ts";
import type { Database, Queryable } from "../../db/client.server.ts";
import type { Site } from "../../ui/site.ts";
import { NO_ACCESS } from "../lifecycle.ts";
import { noticesOf } from "../notices/notices.ts";
import { sendOnce } from "../notices/send-once.server.ts";
import { reopenWonRefunds } from "../plan/won-refunds.server.ts";
import { customers, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import type { Answer } from "./ask-stripe.server.ts";

/**
 * Stores what Stripe answered, all of it or nothing: nothing when the answer to a later request is stored already. What is
 * new to the customer is mailed by the same transaction.
 *
 * @param ticket drawn before the first request
 */
export async function storeAnswer(
  db: Database,
  site: Site,
  { userId, stripeCustomerId }: { userId: string; stripeCustomerId: string },
  ticket: bigint,
  answer: Answer,
): Promise<void> {
  await db.transaction(async (tx) => {
    // First, as whoever deletes an account does (lock-user.server.ts): otherwise the two could wait for each other.
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
  { subscriptions }: Answer,
): Promise<void> {
  if (subscriptions.length > 0) {
    await tx
      .insert(stripeSubscriptions)
      .values(subscriptions.map((row) => ({ ...row, userId, syncTicket })))
      .onConflictDoUpdate({
        target: stripeSubscriptions.id,
        set: { ...incoming(stripeSubscriptions), tier: tierAtPurchase, updatedAt: sql`now()` },
        // Processes of the version before this one store without asking the customer's row.
        setWhere: lt(stripeSubscriptions.syncTicket, syncTicket),
      });
  }
  // What Stripe no longer lists is over.
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

/** A subscription keeps its tier for as long as its price stays the same, even if the product's tier changes. */
const tierAtPurchase = sql`CASE
  WHEN ${stripeSubscriptions.priceId} = excluded.price_id THEN ${stripeSubscriptions.tier}
  ELSE excluded.tier
END`;

async function storeInvoices(
  tx: Queryable,
  userId: string,
  syncTicket: bigint,
  { invoices }: Answer,
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
  // Only drafts can be deleted at Stripe; older invoices are kept although they are not asked for any more.
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

/** Every column of the row that could not be inserted. */
function incoming(table: PgTable): Record<string, SQL> {
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, { name }]) => [key, sql.raw(`excluded."${name}"`)]),
  );
}
