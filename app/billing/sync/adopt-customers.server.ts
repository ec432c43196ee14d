import { setTimeout as sleep } from "node:timers/promises";
import { inArray } from "drizzle-orm";
import Stripe from "stripe";
import { user } from "../../auth/schema.ts";
import { ENDED_STATUSES } from "../lifecycle.ts";
import { customers } from "../schema.ts";
import { type StripeApp, stripeIdOf } from "../stripe.server.ts";
import { readPlanPrices } from "./plan-prices.server.ts";

const PAGE_SIZE = 100;

interface Adopted {
  customers: string[];
  orphans: { subscription: string; stripeCustomerId: string }[];
}

/**
 * Stores customers at Stripe that carry a user's id and are missing here, as after a restore. @returns those, and the open
 * subscriptions to our plans whose customer is unknown. @throws Stripe's errors
 */
export async function adoptCustomers(app: StripeApp, stop: Stop): Promise<Adopted> {
  const { stripe, db } = app;
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
  return { customers: adopted, orphans: await findOrphans(app, stop) };
}

async function findOrphans({ stripe, db }: StripeApp, stop: Stop): Promise<Adopted["orphans"]> {
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
          stripeCustomerId: stripeIdOf(customer) ?? "",
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

async function eachPage<Item extends { id: string }>(
  fetchPage: (after: { starting_after?: string }) => PromiseLike<Stripe.ApiList<Item>>,
  stop: Stop,
  work: (page: Item[]) => Promise<void>,
): Promise<void> {
  let after: { starting_after?: string } = {};
  while (!stop()) {
    const { data, has_more: hasMore } = await retry(async () => fetchPage(after), stop);
    await work(data);
    const last = data.at(-1);
    if (!hasMore || !last) return;
    after = { starting_after: last.id };
  }
}

export type Stop = () => boolean;

/** In addition to the SDK's own retries. */
const PAUSES_MILLISECONDS = [1_000, 3_000, 8_000];

export class TooManyFailures extends Error {
  static readonly LIMIT = 10;
}

/** Retries when Stripe is too busy (429), away or too slow. @throws its last error */
export async function retry<Answer>(ask: () => Promise<Answer>, stop: Stop): Promise<Answer> {
  for (const pause of PAUSES_MILLISECONDS) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || stop()) throw error;
      await sleep(pause * (0.5 + Math.random()));
    }
  }
  return ask();
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeRateLimitError ||
    error instanceof Stripe.errors.StripeConnectionError ||
    error instanceof Stripe.errors.StripeAPIError
  );
}
