import { asc, max } from "drizzle-orm";
import type Stripe from "stripe";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { listOpenJobs } from "../outbox/progress.server.ts";
import { readCatalogue, syncCatalogue } from "./catalogue.server.ts";
import { prices, products } from "./catalogue-schema.ts";
import { SYNC_CATALOGUE } from "./job-kinds.server.ts";
import { type BillingInterval, type Plan, priceFor } from "./plans.ts";
import { listRetiredPrices } from "./retired-prices.server.ts";

const INTERVALS = ["month", "year"] as const;

/**
 * What is on sale, what is not and why, and what customers go on paying, for the operator.
 *
 * @param lookAt at most so many subscriptions of each price no longer on sale are counted
 */
export async function readCatalogueState(
  db: Database,
  { currency, payments }: Pick<Config, "currency" | "payments">,
  lookAt: number,
) {
  const { plans, skipped } = await readCatalogue(db, currency);
  const onSale = plans.flatMap((plan) => plan.prices.map(({ id }) => id));
  const retired = await listRetiredPrices(db, onSale, lookAt);
  return {
    currency,
    /** Why nothing can be bought at all; `null` while it can. */
    paymentsOff: payments.mode === "off" ? payments.reason : null,
    plans,
    skipped,
    retired,
  };
}

/** The periods in which a plan is not sold, because it has no such price. */
export function missingPeriods(plan: Plan): BillingInterval[] {
  return INTERVALS.filter((interval) => !priceFor(plan, interval));
}

/** The mirror as it is stored: hidden products among them, in the order of the pages. */
export async function readMirroredProducts(db: Queryable) {
  const [mirrored, mirroredPrices] = await Promise.all([
    db.select().from(products).orderBy(asc(products.position), asc(products.id)),
    db.select().from(prices).orderBy(asc(prices.interval), asc(prices.unitAmount), asc(prices.id)),
  ]);
  return mirrored.map(({ syncTicket: _, ...product }) => ({
    ...product,
    prices: mirroredPrices
      .filter(({ productId }) => productId === product.id)
      .map(({ id, active, unitAmount, currency, interval }) => ({
        id,
        active,
        unitAmount,
        currency,
        interval,
      })),
  }));
}

/** When Stripe's answer was last stored, and whether another is being asked for. */
export async function readSyncState(db: Queryable) {
  const [[product], [price], [job]] = await Promise.all([
    db.select({ at: max(products.updatedAt) }).from(products),
    db.select({ at: max(prices.updatedAt) }).from(prices),
    listOpenJobs(db, SYNC_CATALOGUE),
  ]);
  const times = [product?.at, price?.at].flatMap((at) => at?.getTime() ?? []);
  return {
    syncedAt: times.length > 0 ? new Date(Math.max(...times)) : null,
    waiting: job ? { lastError: job.lastError } : null,
  };
}

/**
 * Asks Stripe for its products and prices now, in an operator's name.
 *
 * @throws Stripe's errors; nothing is changed then
 */
export async function syncCatalogueAs(stripe: Stripe, db: Database, actor: Actor): Promise<void> {
  await syncCatalogue(stripe, db, (tx) =>
    recordChange(tx, actor, { action: "catalogue.synced", subject: "catalogue:stripe" }),
  );
}
