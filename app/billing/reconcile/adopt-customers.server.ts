import { inArray } from "drizzle-orm";
import type Stripe from "stripe";
import { user } from "../../auth/schema.ts";
import type { Database } from "../../db/client.server.ts";
import { ENDED_STATUSES } from "../lifecycle.ts";
import { customers } from "../schema.ts";
import { readPlanPrices } from "../sync/plan-prices.server.ts";
import { patiently, type Stop } from "./patience.server.ts";

const PAGE_SIZE = 100;

interface Adopted {
  /** Ids of customers that were not known here although their user is. */
  customers: string[];
  orphans: { subscription: string; stripeCustomerId: string }[];
}

/**
 * Stores the customers that Stripe has for users of ours, by the user's id in their metadata, and that are missing here,
 * as after a backup was restored. A user who has a customer keeps that one.
 *
 * @returns those, and the subscriptions to plans of ours whose customer is still unknown
 * @throws Stripe's errors
 */
export async function adoptCustomers(stripe: Stripe, db: Database, stop: Stop): Promise<Adopted> {
  const adopted: string[] = [];
  await eachPage(
    (after) => stripe.customers.list({ limit: PAGE_SIZE, ...after }),
    stop,
    async (page) => {
      const claimed = page.flatMap(({ id, metadata: { user_id: userId } }) =>
        userId ? [{ stripeCustomerId: id, userId }] : [],
      );
      if (claimed.length === 0) return;
      const users = await db
        .select({ id: user.id })
        .from(user)
        .where(
          inArray(
            user.id,
            claimed.map(({ userId }) => userId),
          ),
        );
      const missing = claimed.filter(({ userId }) => users.some(({ id }) => id === userId));
      if (missing.length === 0) return;
      const stored = await db.insert(customers).values(missing).onConflictDoNothing().returning();
      adopted.push(...stored.map(({ stripeCustomerId }) => stripeCustomerId));
    },
  );
  return { customers: adopted, orphans: await findOrphans(stripe, db, stop) };
}

async function findOrphans(stripe: Stripe, db: Database, stop: Stop): Promise<Adopted["orphans"]> {
  const planPrices = await readPlanPrices(db);
  const orphans: Adopted["orphans"] = [];
  await eachPage(
    (after) => stripe.subscriptions.list({ status: "all", limit: PAGE_SIZE, ...after }),
    stop,
    async (page) => {
      const open = page
        .filter(({ status }) => !ENDED_STATUSES.includes(status))
        .filter(({ items }) => items.data.some(({ price }) => planPrices.has(price.id)))
        .map(({ id, customer }) => ({
          subscription: id,
          stripeCustomerId: typeof customer === "string" ? customer : customer.id,
        }));
      if (open.length === 0) return;
      const ids = open.map(({ stripeCustomerId }) => stripeCustomerId);
      const known = await db.select().from(customers).where(inArray(customers.stripeCustomerId, ids));
      orphans.push(
        ...open.filter(({ stripeCustomerId }) =>
          known.every((customer) => customer.stripeCustomerId !== stripeCustomerId),
        ),
      );
    },
  );
  return orphans;
}

/** Every page of a list, one after the other, each asked for patiently. */
async function eachPage<Item extends { id: string }>(
  fetchPage: (after: { starting_after?: string }) => PromiseLike<Stripe.ApiList<Item>>,
  stop: Stop,
  work: (page: Item[]) => Promise<void>,
): Promise<void> {
  let after: { starting_after?: string } = {};
  while (!stop()) {
    const { data, has_more: hasMore } = await patiently(async () => fetchPage(after), stop);
    await work(data);
    const last = data.at(-1);
    if (!hasMore || !last) return;
    after = { starting_after: last.id };
  }
}
