import { setTimeout as sleep } from "node:timers/promises";
import { inArray, sql } from "drizzle-orm";
import Stripe from "stripe";
import { ENDED_STATUSES } from "../lifecycle.ts";
import { customers } from "../schema.ts";
import { type StripeApp, stripeIdOf } from "../stripe.server.ts";
import { readPlanPrices } from "./plan-prices.server.ts";

const PAGE_SIZE = 100;

/**
 * Stores customers at Stripe that carry a user's id and are missing here, as after a restore. @returns those, and the open
 * subscriptions to our plans whose customer is unknown. @throws Stripe's errors
 */
export async function adoptCustomers(app: StripeApp, isStopping: IsStopping) {
  const { stripe, db } = app;
  const adopted: string[] = [];
  const pages = pagesOf((after) => stripe.customers.list({ limit: PAGE_SIZE, ...after }), isStopping);
  for await (const page of pages) {
    const claimed = page.map(({ id, metadata }) => ({ id, user_id: metadata.user_id }));
    const { rows } = await db.execute<{ id: string }>(sql`
      INSERT INTO customers (user_id, stripe_customer_id)
      SELECT "user".id, claimed.id FROM jsonb_to_recordset(${JSON.stringify(claimed)}::jsonb) AS claimed (id text, user_id text)
      JOIN "user" ON "user".id = claimed.user_id
      ON CONFLICT DO NOTHING RETURNING stripe_customer_id AS id`);
    adopted.push(...rows.map(({ id }) => id));
  }
  return { customers: adopted, orphans: await findOrphans(app, isStopping) };
}

async function findOrphans({ stripe, db }: StripeApp, isStopping: IsStopping) {
  const planPrices = await readPlanPrices(db);
  const orphans: { subscription: string; stripeCustomerId: string }[] = [];
  const pages = pagesOf(
    (after) => stripe.subscriptions.list({ status: "all", limit: PAGE_SIZE, ...after }),
    isStopping,
  );
  for await (const page of pages) {
    const open = page
      .filter(({ status }) => !ENDED_STATUSES.includes(status))
      .filter(({ items }) => items.data.some(({ price }) => planPrices.has(price.id)))
      .map(({ id, customer }) => ({ subscription: id, stripeCustomerId: stripeIdOf(customer) ?? "" }));
    const ids = open.map(({ stripeCustomerId }) => stripeCustomerId);
    const known = await db.select().from(customers).where(inArray(customers.stripeCustomerId, ids));
    const isKnown = (id: string) => known.some(({ stripeCustomerId }) => stripeCustomerId === id);
    orphans.push(...open.filter(({ stripeCustomerId }) => !isKnown(stripeCustomerId)));
  }
  return orphans;
}

async function* pagesOf<Item extends { id: string }>(
  fetchPage: (after: { starting_after?: string }) => PromiseLike<Stripe.ApiList<Item>>,
  isStopping: IsStopping,
): AsyncGenerator<Item[]> {
  let after: { starting_after?: string } = {};
  while (!isStopping()) {
    const { data, has_more: hasMore } = await retry(async () => fetchPage(after), isStopping);
    yield data;
    const last = data.at(-1);
    if (!hasMore || !last) return;
    after = { starting_after: last.id };
  }
}

export type IsStopping = () => boolean;

/** In addition to the SDK's own retries. */
const PAUSES_MILLISECONDS = [1_000, 3_000, 8_000];

export class TooManyFailures extends Error {
  static readonly LIMIT = 10;
}

/** Retries when Stripe is too busy (429), away or too slow. @throws its last error */
export async function retry<Answer>(ask: () => Promise<Answer>, isStopping: IsStopping): Promise<Answer> {
  for (const pause of PAUSES_MILLISECONDS) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || isStopping()) throw error;
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
