import { and, eq, notInArray, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { ENDED_STATUSES } from "./lifecycle.ts";
import { stripeSubscriptions } from "./schema.ts";

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
