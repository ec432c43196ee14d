import { and, eq, notInArray, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { closeAttempt, findOpenAttempt } from "./checkout-attempt.server.ts";
import { ENDED_STATUSES } from "./lifecycle.ts";
import { customers, stripeSubscriptions } from "./schema.ts";
import { askStripe } from "./sync/ask-stripe.server.ts";
import { storeAnswer } from "./sync/store-answer.server.ts";
import { drawSyncTicket } from "./sync-ticket.server.ts";

/** What access and mail depend on besides Stripe. */
export type SyncSettings = Pick<Config, "graceDays" | "site">;

/**
 * Fetches all that Stripe has of a customer and stores it: the only writer of `stripe_subscriptions`, `stripe_invoices`
 * and the card of `customers`. Safe to run at any time, any number of times, by several processes at once: each run
 * draws a ticket before its requests, and an answer never overwrites one that was requested later. Called by the
 * webhook's job, the page after payment, the sweeps and the operator.
 *
 * Ignores subscriptions whose price is not ours (no tier, another period): they were sold elsewhere.
 *
 * @returns the ids of those
 * @throws Stripe's errors when it cannot be reached; nothing is changed then
 */
export async function syncCustomer(
  stripe: Stripe,
  db: Database,
  { graceDays, site }: SyncSettings,
  stripeCustomerId: string,
): Promise<string[]> {
  const [customer] = await db
    .select()
    .from(customers)
    .where(eq(customers.stripeCustomerId, stripeCustomerId));
  // A customer of another application on the same Stripe account.
  if (!customer) return [];

  const ticket = await drawSyncTicket(db);
  const answer = await askStripe(stripe, db, customer, graceDays);
  await storeAnswer(db, site, customer, ticket, answer);

  const attempt = await findOpenAttempt(db, customer.userId);
  if (attempt && (await findOpenSubscription(db, customer.userId)))
    await closeAttempt(stripe, db, attempt.id);
  return answer.foreign;
}

/**
 * The user's paid subscription that has not ended, or `null`. It may be past due or wait for its first payment and give no
 * access, but a second one would charge the user twice.
 */
export async function findOpenSubscription(db: Queryable, userId: string) {
  const [open] = await db
    .select()
    .from(stripeSubscriptions)
    .where(openSubscriptionOf(userId))
    .orderBy(mostUsefulFirst);
  return open ?? null;
}

/** A condition on `stripe_subscriptions`: the user's subscriptions that have not ended. */
export function openSubscriptionOf(userId: string) {
  return and(eq(stripeSubscriptions.userId, userId), notInArray(stripeSubscriptions.status, ENDED_STATUSES));
}

/** Should the operator have given somebody a second one: the one that gives access longest. */
export const mostUsefulFirst = sql`${stripeSubscriptions.accessUntil} DESC NULLS LAST`;
