import { eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { prices, products, stripeSubscriptions } from "./schema.ts";
import { mostUsefulFirst, openSubscriptionOf } from "./sync.server.ts";

/** The plan the user pays for, whether or not it gives access at the moment; `null` when there is none. */
export async function findPaidPlan(db: Queryable, userId: string) {
  const [plan] = await db
    .select({
      name: products.name,
      status: stripeSubscriptions.status,
      unitAmount: prices.unitAmount,
      currency: prices.currency,
      interval: prices.interval,
      currentPeriodEnd: stripeSubscriptions.currentPeriodEnd,
      cancelAt: stripeSubscriptions.cancelAt,
    })
    .from(stripeSubscriptions)
    .innerJoin(prices, eq(prices.id, stripeSubscriptions.priceId))
    .innerJoin(products, eq(products.id, prices.productId))
    .where(openSubscriptionOf(userId))
    .orderBy(mostUsefulFirst);
  return plan ?? null;
}
