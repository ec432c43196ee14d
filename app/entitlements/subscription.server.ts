import { eq, getViewSelectedFields } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { type OtherPlan, otherPlans } from "./other-plans.ts";
import { heldPlans, userSubscriptions } from "./schema.ts";

export type UserSubscription = typeof userSubscriptions.$inferSelect;

const heldPlan = {
  tier: heldPlans.tier,
  source: heldPlans.source,
  promoCode: heldPlans.promoCode,
  expiresAt: heldPlans.expiresAt,
  renews: heldPlans.renews,
};

/** The user's best plan in force, or `null`: an expired one counts as none (spec §4). */
export async function currentSubscription(db: Queryable, userId: string): Promise<UserSubscription | null> {
  const [found] = await db.select().from(userSubscriptions).where(eq(userSubscriptions.userId, userId));
  return found ?? null;
}

/** All of the user's plans in force, paid and granted, in no particular order. Prepared: each redemption asks. */
export function listHeldPlans(db: Queryable, userId: string) {
  return db
    .select(heldPlan)
    .from(heldPlans)
    .where(eq(heldPlans.userId, userId))
    .prepare("held_plans")
    .execute();
}

/** The user's best plan in force, and what they were given besides. */
export async function readAccess(
  db: Queryable,
  userId: string,
): Promise<{ subscription: UserSubscription | null; others: OtherPlan[] }> {
  const rows = await db
    .select({ subscription: getViewSelectedFields(userSubscriptions), held: heldPlan })
    .from(heldPlans)
    .innerJoin(userSubscriptions, eq(userSubscriptions.userId, heldPlans.userId))
    .where(eq(heldPlans.userId, userId))
    .prepare("access")
    .execute();
  return { subscription: rows[0]?.subscription ?? null, others: otherPlans(rows.map(({ held }) => held)) };
}
