import { eq } from "drizzle-orm";
import type Stripe from "stripe";
import type { Database, Queryable } from "../../db/client.server.ts";
import { includesTier } from "../../entitlements/tiers.ts";
import { syncCatalogue } from "../catalogue.server.ts";
import { prices, products, stripeSubscriptions } from "../schema.ts";

export type PlanPrices = Awaited<ReturnType<typeof readPlanPrices>>;

export type Purchase = Awaited<ReturnType<typeof purchasesOf>>[number];

/** Every price ever mirrored. Syncs the catalog first when a subscription has an unknown one. */
export async function pricesOf(
  stripe: Stripe,
  db: Database,
  subscriptions: readonly Stripe.Subscription[],
): Promise<PlanPrices> {
  const known = await readPlanPrices(db);
  const isKnown = ({ items }: Stripe.Subscription) => items.data.some(({ price }) => known.has(price.id));
  if (subscriptions.every(isKnown)) return known;
  await syncCatalogue(stripe, db);
  return readPlanPrices(db);
}

export async function readPlanPrices(db: Queryable) {
  const rows = await db
    .select({
      id: prices.id,
      name: products.name,
      tier: products.tier,
      unitAmount: prices.unitAmount,
      currency: prices.currency,
      interval: prices.interval,
    })
    .from(prices)
    .innerJoin(products, eq(products.id, prices.productId));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Subscriptions with a price of ours, now or when they were bought. Others were sold elsewhere. */
export async function purchasesOf(
  db: Queryable,
  userId: string,
  subscriptions: readonly Stripe.Subscription[],
  planPrices: PlanPrices,
) {
  const stored = await db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.userId, userId));
  return subscriptions.flatMap((subscription) => {
    const own = ownItem(subscription, planPrices);
    if (own) return [{ subscription, ...own }];
    const [item] = subscription.items.data;
    const before = stored.find(({ id }) => id === subscription.id);
    return item && before ? [{ subscription, item, priceId: before.priceId, tier: before.tier }] : [];
  });
}

function ownItem({ items }: Stripe.Subscription, planPrices: PlanPrices) {
  const own = items.data.flatMap((item) => {
    const price = planPrices.get(item.price.id);
    return price ? [{ item, priceId: price.id, tier: price.tier }] : [];
  });
  return own.find(({ tier }) => own.every((other) => includesTier(tier, other.tier)));
}
