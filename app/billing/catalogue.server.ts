import { and, asc, eq, lt, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { App } from "../context.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { prices, products } from "../db/schema.ts";
import { isTier } from "../entitlements/tiers.ts";
import { isBillingInterval, type Plan } from "./plans.ts";
import { drawSyncTicket } from "./sync-ticket.server.ts";

/** The plans one can buy here and now: none while payments are switched off. */
export async function listPlansOnSale({ db, payments }: Pick<App, "db" | "payments">): Promise<Plan[]> {
  return payments.isOn ? listPlans(db) : [];
}

/** Active products with their active prices, in the operator's order (spec §7). */
export async function listPlans(db: Queryable): Promise<Plan[]> {
  const rows = await db
    .select()
    .from(products)
    .innerJoin(prices, eq(prices.productId, products.id))
    .where(and(eq(products.active, true), eq(prices.active, true)))
    .orderBy(asc(products.position), asc(products.id), asc(prices.unitAmount));

  const plans = new Map<string, Plan>();
  for (const { products: product, prices: price } of rows) {
    const { id, name, description, tier } = product;
    const plan = plans.get(id) ?? { id, name, description, tier, prices: [] };
    plan.prices.push({
      id: price.id,
      unitAmount: price.unitAmount,
      currency: price.currency,
      interval: price.interval,
    });
    plans.set(id, plan);
  }
  return [...plans.values()];
}

/** Two mirrorings at once write the same rows in different orders; taking turns keeps them from a deadlock. */
const CATALOGUE_LOCK = 7_130_003;
/** More products or prices than Stripe's SDK hands over at once would be taken for missing. */
const MOST = 10_000;

/**
 * Makes our products and prices equal to the payments store's. Safe to run at any time, any number of times, by
 * several processes at once: an answer never overwrites one that was asked for later. What Stripe no longer lists,
 * and what has no tier or is not a monthly or yearly price, is kept but not on sale.
 *
 * @throws Stripe's errors when it cannot be reached; nothing is changed then
 */
export async function syncCatalogue(stripe: Stripe, db: Database): Promise<void> {
  const syncTicket = await drawSyncTicket(db);
  const allProducts = await stripe.products.list({ limit: 100 }).autoPagingToArray({ limit: MOST });
  const allPrices = await stripe.prices.list({ limit: 100 }).autoPagingToArray({ limit: MOST });
  const productRows = allProducts.flatMap(toProductRow);
  const productIds = new Set(productRows.map((row) => row.id));
  const priceRows = allPrices.flatMap(toPriceRow).filter((row) => productIds.has(row.productId));

  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${CATALOGUE_LOCK})`);
    for (const table of [products, prices]) {
      await tx.update(table).set({ active: false }).where(lt(table.syncTicket, syncTicket));
    }
    for (const row of productRows) {
      await tx
        .insert(products)
        .values({ ...row, syncTicket })
        .onConflictDoUpdate({
          target: products.id,
          set: { ...row, syncTicket, updatedAt: sql`now()` },
          setWhere: lt(products.syncTicket, syncTicket),
        });
    }
    for (const row of priceRows) {
      await tx
        .insert(prices)
        .values({ ...row, syncTicket })
        .onConflictDoUpdate({
          target: prices.id,
          set: { ...row, syncTicket, updatedAt: sql`now()` },
          setWhere: lt(prices.syncTicket, syncTicket),
        });
    }
  });
}

function toProductRow(product: Stripe.Product) {
  const { tier, position } = product.metadata;
  if (!isTier(tier)) return [];
  const { id, name, description, active } = product;
  return [{ id, name, description, active, tier, position: toPosition(position) }];
}

/** The operator's number, or 0; beyond 10,000 it is a mistyped date rather than a place. */
function toPosition(text: string | undefined): number {
  const position = Number(text);
  return Number.isInteger(position) && Math.abs(position) <= 10_000 ? position : 0;
}

/** Whether an amount in minor units is a hundredth of the currency, as the spec's formatting has it (§9). */
function hasCents(currency: string): boolean {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits === 2;
}

function toPriceRow(price: Stripe.Price) {
  const { id, active, unit_amount: unitAmount, currency, recurring } = price;
  const interval = recurring?.interval;
  if (unitAmount === null || recurring?.interval_count !== 1) return [];
  if (!isBillingInterval(interval) || !hasCents(currency)) return [];
  const productId = typeof price.product === "string" ? price.product : price.product.id;
  return [{ id, productId, active, unitAmount, currency, interval }];
}
