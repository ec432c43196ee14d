import { eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { prices, products, stripeSubscriptions } from "./schema.ts";
import { isOpenFor } from "./sync.server.ts";

/** What the user pays for, whether it gives access just now or not; `null` when nothing. */
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
    .where(isOpenFor(userId));
  return plan ?? null;
}

export type PaidPlan = NonNullable<Awaited<ReturnType<typeof findPaidPlan>>>;
