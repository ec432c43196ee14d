import { eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { heldPlans, userSubscriptions } from "./schema.ts";

export type UserSubscription = typeof userSubscriptions.$inferSelect;

/** The user's best plan in force, or `null`: an expired one counts as none (spec §4). */
export async function currentSubscription(db: Queryable, userId: string): Promise<UserSubscription | null> {
  const [subscription] = await db
    .select()
    .from(userSubscriptions)
    .where(eq(userSubscriptions.userId, userId));
  return subscription ?? null;
}

/** All of the user's plans in force, paid and granted, in no particular order. */
export function listHeldPlans(db: Queryable, userId: string) {
  return db
    .select({
      tier: heldPlans.tier,
      source: heldPlans.source,
      promoCode: heldPlans.promoCode,
      expiresAt: heldPlans.expiresAt,
      renews: heldPlans.renews,
    })
    .from(heldPlans)
    .where(eq(heldPlans.userId, userId));
}
