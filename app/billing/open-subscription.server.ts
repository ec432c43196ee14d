import { and, eq, notInArray, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { ENDED_STATUSES } from "./lifecycle.ts";
import { prices, products, stripeSubscriptions } from "./schema.ts";

/** It may give no access, but a second one would charge twice. */
export async function findOpenSubscription(db: Queryable, userId: string) {
  const [open] = await db
    .select()
    .from(stripeSubscriptions)
    .where(openSubscriptionOf(userId))
    .orderBy(mostUsefulFirst);
  return open ?? null;
}

export function openSubscriptionOf(userId: string) {
  return and(eq(stripeSubscriptions.userId, userId), notInArray(stripeSubscriptions.status, ENDED_STATUSES));
}

/** An operator may have added a second subscription at Stripe. */
export const mostUsefulFirst = sql`${stripeSubscriptions.accessUntil} DESC NULLS LAST`;

export async function findOpenPlan(db: Queryable, userId: string) {
  const [plan] = await db
    .select({ subscriptionId: stripeSubscriptions.id, name: products.name })
    .from(stripeSubscriptions)
    .innerJoin(prices, eq(prices.id, stripeSubscriptions.priceId))
    .innerJoin(products, eq(products.id, prices.productId))
    .where(openSubscriptionOf(userId))
    .orderBy(mostUsefulFirst);
  return plan ?? null;
}
