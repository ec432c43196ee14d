import { eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { heldPlans, userSubscriptions } from "./schema.ts";

export type UserSubscription = typeof userSubscriptions.$inferSelect;

/** The best live thing the user holds, or `null` when there is none: one that has ended is absent (spec §4). */
export async function currentSubscription(db: Queryable, userId: string): Promise<UserSubscription | null> {
  const [subscription] = await db
    .select()
    .from(userSubscriptions)
    .where(eq(userSubscriptions.userId, userId));
  return subscription ?? null;
}

/** Every live thing the user holds, paid or granted, in no order. */
export function listHeldPlans(db: Queryable, userId: string) {
  return db
    .select({
      tier: heldPlans.tier,
      source: heldPlans.source,
      expiresAt: heldPlans.expiresAt,
      renews: heldPlans.renews,
    })
    .from(heldPlans)
    .where(eq(heldPlans.userId, userId));
}
