import { eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { prices, products } from "./catalogue-schema.ts";
import { stripeSubscriptions } from "./schema.ts";
import { mostUsefulFirst, openSubscriptionOf } from "./sync.server.ts";

/** The subscription the user pays for and its plan's name, whether or not it gives access at the moment; `null`: none. */
export async function findPaidPlan(db: Queryable, userId: string) {
  const [plan] = await db
    .select({ subscriptionId: stripeSubscriptions.id, name: products.name })
    .from(stripeSubscriptions)
    .innerJoin(prices, eq(prices.id, stripeSubscriptions.priceId))
    .innerJoin(products, eq(products.id, prices.productId))
    .where(openSubscriptionOf(userId))
    .orderBy(mostUsefulFirst);
  return plan ?? null;
}
