import { asc, max, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import { watchValue } from "../background-loop.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { listOpenJobs } from "../outbox/progress.server.ts";
import { readCatalogue, syncCatalogue } from "./catalogue.server.ts";
import { SYNC_CATALOGUE } from "./job-kinds.server.ts";
import { type BillingInterval, type Plan, priceFor } from "./plans.ts";
import { prices, products } from "./schema.ts";
import type { BillingApp } from "./stripe.server.ts";

declare module "../http/context.server.ts" {
  interface App {
    catalogue: ReturnType<typeof watchCatalogue>;
  }
}

const EMPTY_CATALOGUE: Awaited<ReturnType<typeof readCatalogue>> = { plans: [], skipped: [] };

/** Logs once why an active price is not on sale. Keeps the last catalog while the database is away. */
export function watchCatalogue({ db, payments, config, log }: BillingApp) {
  let lastReasons = new Map<string, string>();
  return watchValue<Plan[]>([], read, (error) => log.warn({ error }, "could not look at the catalogue"));

  async function read(): Promise<Plan[]> {
    const { plans, skipped } = payments.isOn ? await readCatalogue(db, config.currency) : EMPTY_CATALOGUE;
    for (const { id, plan, reason } of skipped) {
      if (lastReasons.get(id) !== reason) log.warn({ stripeId: id, plan }, `not on sale: it ${reason}`);
    }
    lastReasons = new Map(skipped.map(({ id, reason }) => [id, reason]));
    return plans;
  }
}

/** @param lookAt how many subscriptions of a retired price are counted at most */
export async function readCatalogueState(
  db: Database,
  { currency, payments }: Pick<Config, "currency" | "payments">,
  lookAt: number,
) {
  const { plans, skipped } = await readCatalogue(db, currency);
  const onSale = plans.flatMap((plan) => plan.prices.map(({ id }) => id));
  const retired = await listRetiredPrices(db, onSale, lookAt);
  const paymentsOff = payments.mode === "off" ? payments.reason : null;
  return { currency, paymentsOff, plans, skipped, retired };
}

export function missingPeriods(plan: Plan): BillingInterval[] {
  return (["month", "year"] as const).filter((interval) => !priceFor(plan, interval));
}

export async function readMirroredProducts(db: Queryable) {
  const { id, productId, active, unitAmount, currency, interval } = prices;
  const [mirrored, mirroredPrices] = await Promise.all([
    db.select().from(products).orderBy(asc(products.position), asc(products.id)),
    db
      .select({ id, productId, active, unitAmount, currency, interval })
      .from(prices)
      .orderBy(asc(interval), asc(unitAmount), asc(id)),
  ]);
  return mirrored.map(({ syncTicket: _, ...product }) => ({
    ...product,
    prices: mirroredPrices.filter((price) => price.productId === product.id),
  }));
}

export async function readSyncState(db: Queryable) {
  // Every sync writes all products that Stripe lists.
  const [[product], [job]] = await Promise.all([
    db.select({ at: max(products.updatedAt) }).from(products),
    listOpenJobs(db, SYNC_CATALOGUE),
  ]);
  return { syncedAt: product?.at ?? null, waiting: job ? { lastError: job.lastError } : null };
}

/** Audited. @throws Stripe's errors; nothing is changed then */
export async function syncCatalogueAs(stripe: Stripe, db: Database, actor: Actor): Promise<void> {
  await syncCatalogue(stripe, db, (tx) =>
    recordChange(tx, actor, { action: "catalogue.synced", subject: "catalogue:stripe" }),
  );
}

const UNPAID_STATUSES = ["canceled", "incomplete", "incomplete_expired"];

type RetiredPrice = {
  id: string;
  plan: string;
  unitAmount: number;
  currency: string;
  interval: BillingInterval;
};

/** Prices no longer on sale that subscriptions still pay. @param lookAt as in `readCatalogueState` */
async function listRetiredPrices(db: Database, onSale: readonly string[], lookAt: number) {
  const { rows } = await db.transaction(async (tx) => {
    // Otherwise PostgreSQL, expecting every price to have many, reads the whole table to find none for the others.
    await tx.execute(
      sql`SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    );
    return tx.execute<RetiredPrice & { paid: number; looked: number }>(sql`
      SELECT prices.id, unit_amount AS "unitAmount", currency, interval, products.name AS plan, paid, looked
      FROM prices JOIN products ON products.id = product_id
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE status NOT IN ${UNPAID_STATUSES})::int AS paid, count(*)::int AS looked
        FROM (SELECT status FROM stripe_subscriptions WHERE price_id = prices.id LIMIT ${lookAt}) AS looked_at
      ) AS counted
      WHERE (paid > 0 OR looked >= ${lookAt}) AND prices.id <> ALL (${sql.param([...onSale])}::text[])
      ORDER BY products.name, prices.id`);
  });
  return rows.map(({ paid, looked, ...price }) => ({
    ...price,
    subscriptions: paid,
    isAll: looked < lookAt,
  }));
}
