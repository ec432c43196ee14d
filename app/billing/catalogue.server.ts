import { and, asc, eq, gt, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { isCurrency } from "../config/currency.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { isTier, TIERS, type Tier } from "../entitlements/tiers.ts";
import type { App, RequestState } from "../http/context.server.ts";
import { type ActivePrice, BILLING_MESSAGES, isBillingInterval, type Plan, pricesOnSale } from "./plans.ts";
import { prices, products, skippedPrices } from "./schema.ts";
import { drawSyncTicket, stripeIdOf } from "./stripe.server.ts";

export async function listPlansOnSale(app: Pick<App, "db" | "payments" | "config">): Promise<Plan[]> {
  if (!app.payments.isOn) return [];
  return pricesOnSale(await listActivePrices(app.db), app.config.currency).plans;
}

/** `null` when they cannot be read (spec §8): the page renders without them, with a 503. */
export async function loadPlans({ app, state }: { app: App; state: RequestState }): Promise<Plan[] | null> {
  return listPlansOnSale(app).catch((error: unknown) => {
    app.log.error({ error, id: state.id }, BILLING_MESSAGES.plansFailed);
    return null;
  });
}

export async function readCatalogue(db: Queryable, currency: string) {
  const [{ plans, skipped }, unsupported] = await Promise.all([
    listActivePrices(db).then((active) => pricesOnSale(active, currency)),
    db.select().from(skippedPrices).orderBy(asc(skippedPrices.productName), asc(skippedPrices.id)),
  ]);
  const others = unsupported.map(({ id, productName, reason }) => ({ id, plan: productName, reason }));
  return { plans, skipped: [...skipped, ...others] };
}

function listActivePrices(db: Queryable): Promise<ActivePrice[]> {
  const { id, unitAmount, currency, interval, createdAt } = prices;
  const { name, description, tier } = products;
  return db
    .select({
      id,
      unitAmount,
      currency,
      interval,
      createdAt,
      plan: { id: products.id, name, description, tier },
    })
    .from(products)
    .innerJoin(prices, eq(prices.productId, products.id))
    .where(and(products.active, prices.active))
    .orderBy(asc(products.position), asc(products.id), asc(prices.unitAmount));
}

/** The largest `integer` of PostgreSQL, in minor units. */
const MAX_AMOUNT = 2_147_483_647;

/** Concurrent syncs write the same rows in different orders and could deadlock. */
const CATALOGUE_LOCK = 7_130_003;
/** The most that Stripe's SDK lists at once; anything beyond would count as missing. */
const MAX_ITEMS = 10_000;

/**
 * Mirrors Stripe's products and prices; what cannot be sold here goes to `skipped_prices`. Safe to repeat and to run concurrently:
 * an answer never overwrites one that was requested later. @throws Stripe's errors; nothing is changed then
 */
export async function syncCatalogue(
  stripe: Stripe,
  db: Database,
  alongside?: (tx: Queryable) => Promise<void>,
): Promise<void> {
  const syncTicket = await drawSyncTicket(db);
  const allProducts = await stripe.products.list({ limit: 100 }).autoPagingToArray({ limit: MAX_ITEMS });
  const allPrices = await stripe.prices.list({ limit: 100 }).autoPagingToArray({ limit: MAX_ITEMS });
  const productRows = allProducts.flatMap(toProductRow);
  const tierOf = new Map(productRows.map((row) => [row.id, row.tier]));
  const converted = allPrices.map((price) => toPriceRow(price, tierOf.get(productIdOf(price))));
  const skipped = allPrices.flatMap((price, index) => {
    const product = allProducts.find(({ id }) => id === productIdOf(price));
    const reason = converted[index]?.reason;
    if (!reason || !price.active || !product?.active) return [];
    return [{ id: price.id, productName: product.name, reason }];
  });
  const isSold = (product: Stripe.Product) =>
    allPrices.some((price) => price.active && productIdOf(price) === product.id);
  const unpriced = allProducts.filter((product) => product.active && !isSold(product));
  skipped.push(
    ...unpriced.map(({ id, name }) => ({ id, productName: name, reason: "has no active price at Stripe" })),
  );

  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${CATALOGUE_LOCK})`);
    await alongside?.(tx);
    if (await isOutdated(tx, syncTicket)) return;
    // Unlisted rows get the ticket too, or an earlier answer would restore them.
    for (const table of [products, prices]) await tx.update(table).set({ active: false, syncTicket });
    for (const row of productRows) {
      await tx
        .insert(products)
        .values({ ...row, syncTicket })
        .onConflictDoUpdate({ target: products.id, set: { ...row, updatedAt: sql`now()` } });
    }
    for (const { row } of converted) {
      if (!row) continue;
      await tx
        .insert(prices)
        .values({ ...row, syncTicket })
        .onConflictDoUpdate({ target: prices.id, set: { ...row, updatedAt: sql`now()` } });
    }
    await tx.delete(skippedPrices);
    if (skipped.length > 0) await tx.insert(skippedPrices).values(skipped);
  });
}

async function isOutdated(tx: Queryable, syncTicket: bigint): Promise<boolean> {
  for (const table of [products, prices]) {
    const later = await tx
      .select({ id: table.id })
      .from(table)
      .where(gt(table.syncTicket, syncTicket))
      .limit(1);
    if (later.length > 0) return true;
  }
  return false;
}

function toProductRow(product: Stripe.Product) {
  const { tier, position } = product.metadata;
  if (!isTier(tier)) return [];
  const { id, name, description, active } = product;
  return [{ id, name, description, active, tier, position: toPosition(position) }];
}

/** 0 when it is missing or invalid. One above 10,000 is a typing error. */
function toPosition(text: string | undefined): number {
  const position = Number(text);
  return Number.isInteger(position) && Math.abs(position) <= 10_000 ? position : 0;
}

function toPriceRow(price: Stripe.Price, tier: Tier | undefined) {
  const { id, active, created, unit_amount: unitAmount, currency, recurring } = price;
  if (!tier)
    return { reason: `has a product without a tier: set its metadata tier to ${TIERS.join(" or ")}` };
  if (!recurring) return { reason: "is paid once, not every month or year" };
  const { interval, interval_count: count, usage_type: usage } = recurring;
  if (usage === "metered") return { reason: "is charged by use, not as a fixed amount" };
  if (count !== 1 || !isBillingInterval(interval))
    return { reason: `is paid every ${count} ${interval}(s), not every month or year` };
  if (unitAmount === null) return { reason: "has no fixed amount" };
  if (unitAmount > MAX_AMOUNT) return { reason: "costs more than this site can count" };
  if (!isCurrency(currency)) return { reason: `is in ${currency}, which is no currency of ISO 4217` };
  const createdAt = new Date(created * 1000);
  return { row: { id, productId: productIdOf(price), active, unitAmount, currency, interval, createdAt } };
}

function productIdOf({ product }: Stripe.Price): string {
  return stripeIdOf(product) ?? "";
}
