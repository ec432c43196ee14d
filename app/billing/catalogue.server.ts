import { and, asc, eq, gt, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { hasCents } from "../config/currency.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { isTier, TIERS, type Tier } from "../entitlements/tiers.ts";
import type { App, RequestState } from "../http/context.server.ts";
import { pricesOnSale, type SkippedPrice } from "./on-sale.ts";
import { BILLING_MESSAGES, isBillingInterval, type Plan } from "./plans.ts";
import { prices, products, skippedPrices } from "./schema.ts";
import { drawSyncTicket } from "./sync-ticket.server.ts";

type Shop = Pick<App, "db" | "payments" | "config">;

/** The plans one can buy here and now: none while payments are switched off. */
export async function listPlansOnSale({ db, payments, config }: Shop): Promise<Plan[]> {
  return payments.isOn ? (await readMirror(db, config.currency)).plans : [];
}

/**
 * The same for a page that is there without them, too: `null` when they cannot be read (spec §8, plan load failure).
 * Whoever shows that answers with 503, so that nothing keeps the page.
 */
export async function loadPlans({ app, state }: { app: App; state: RequestState }): Promise<Plan[] | null> {
  return listPlansOnSale(app).catch((error: unknown) => {
    app.log.error({ error, id: state.id }, BILLING_MESSAGES.plansFailed);
    return null;
  });
}

/** The plans on sale, and the active prices that are not, with the reason of each. */
export async function readCatalogue(
  db: Queryable,
  currency: string,
): Promise<{ plans: Plan[]; skipped: SkippedPrice[] }> {
  const [{ plans, skipped }, unfit] = await Promise.all([
    readMirror(db, currency),
    db.select().from(skippedPrices).orderBy(asc(skippedPrices.productName), asc(skippedPrices.id)),
  ]);
  return {
    plans,
    skipped: [...skipped, ...unfit.map(({ id, productName, reason }) => ({ id, plan: productName, reason }))],
  };
}

/** Active products with their active prices, in the operator's order (spec §7). */
async function readMirror(db: Queryable, currency: string) {
  const rows = await db
    .select()
    .from(products)
    .innerJoin(prices, eq(prices.productId, products.id))
    .where(and(eq(products.active, true), eq(prices.active, true)))
    .orderBy(asc(products.position), asc(products.id), asc(prices.unitAmount));
  const active = rows.map(({ products: { id, name, description, tier }, prices: price }) => ({
    ...price,
    plan: { id, name, description, tier },
  }));
  return pricesOnSale(active, currency);
}

/** Two mirrorings at once write the same rows in different orders; taking turns keeps them from a deadlock. */
const CATALOGUE_LOCK = 7_130_003;
/** More products or prices than Stripe's SDK hands over at once would be taken for missing. */
const MOST = 10_000;

/**
 * Makes our products and prices equal to the payments store's. Safe to run at any time, any number of times, by
 * several processes at once: an answer never overwrites one that was asked for later. What Stripe no longer lists is
 * kept but not active; an active price that no plan here can have is noted in `skipped_prices` with the reason.
 *
 * @throws Stripe's errors when it cannot be reached; nothing is changed then
 */
export async function syncCatalogue(stripe: Stripe, db: Database): Promise<void> {
  const syncTicket = await drawSyncTicket(db);
  const allProducts = await stripe.products.list({ limit: 100 }).autoPagingToArray({ limit: MOST });
  const allPrices = await stripe.prices.list({ limit: 100 }).autoPagingToArray({ limit: MOST });
  const productRows = allProducts.flatMap(toProductRow);
  const tierOf = new Map(productRows.map((row) => [row.id, row.tier]));
  const read = allPrices.map((price) => readPrice(price, tierOf.get(productIdOf(price))));
  const skipped = allPrices.flatMap((price, index) => {
    const product = allProducts.find(({ id }) => id === productIdOf(price));
    const reason = read[index]?.reason;
    if (!reason || !price.active || !product?.active) return [];
    return [{ id: price.id, productName: product.name, reason }];
  });

  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${CATALOGUE_LOCK})`);
    if (await isOutdated(tx, syncTicket)) return;
    // With this ticket, also what is no longer listed: an earlier answer that still knew it must not bring it back.
    for (const table of [products, prices]) await tx.update(table).set({ active: false, syncTicket });
    for (const row of productRows) {
      await tx
        .insert(products)
        .values({ ...row, syncTicket })
        .onConflictDoUpdate({ target: products.id, set: { ...row, updatedAt: sql`now()` } });
    }
    for (const { row } of read) {
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

/** Whether an answer that was asked for later is there already. */
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

/** The operator's number, or 0; beyond 10,000 it is a mistyped date rather than a place. */
function toPosition(text: string | undefined): number {
  const position = Number(text);
  return Number.isInteger(position) && Math.abs(position) <= 10_000 ? position : 0;
}

/** A price as the mirror has it, or the reason why no plan here can have it. */
function readPrice(price: Stripe.Price, tier: Tier | undefined) {
  const { id, active, created, unit_amount: unitAmount, currency, recurring } = price;
  if (!tier)
    return { reason: `has a product without a tier: set its metadata tier to ${TIERS.join(" or ")}` };
  if (!recurring) return { reason: "is paid once, not every month or year" };
  const { interval, interval_count: count } = recurring;
  if (count !== 1 || !isBillingInterval(interval))
    return { reason: `is paid every ${count} ${interval}(s), not every month or year` };
  if (unitAmount === null) return { reason: "has no fixed amount" };
  if (!hasCents(currency)) return { reason: `is in ${currency}, whose amounts are not hundredths` };
  const createdAt = new Date(created * 1000);
  return { row: { id, productId: productIdOf(price), active, unitAmount, currency, interval, createdAt } };
}

function productIdOf({ product }: Stripe.Price): string {
  return typeof product === "string" ? product : product.id;
}
