import { eq, getViewSelectedFields, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { prepareOnce } from "../db/prepare.server.ts";
import { type OtherPlan, otherPlans } from "./other-plans.ts";
import { heldPlans, userSubscriptions } from "./schema.ts";

export type UserSubscription = typeof userSubscriptions.$inferSelect;

/** The user's best plan in force, or `null`: an expired one counts as none (spec §4). */
export async function currentSubscription(db: Queryable, userId: string): Promise<UserSubscription | null> {
  const [found] = await db.select().from(userSubscriptions).where(eq(userSubscriptions.userId, userId));
  return found ?? null;
}

const { tier, source, promoCode, expiresAt, renews } = heldPlans;

const findAccess = prepareOnce((db) =>
  db
    .select({
      subscription: getViewSelectedFields(userSubscriptions),
      held: { tier, source, promoCode, expiresAt, renews },
    })
    .from(heldPlans)
    .innerJoin(userSubscriptions, eq(userSubscriptions.userId, heldPlans.userId))
    .where(eq(heldPlans.userId, sql.placeholder("userId")))
    .prepare("access"),
);

/** The user's best plan in force, and what they were given besides. */
export async function readAccess(
  db: Queryable,
  userId: string,
): Promise<{ subscription: UserSubscription | null; others: OtherPlan[] }> {
  const rows = await findAccess(db).execute({ userId });
  return { subscription: rows[0]?.subscription ?? null, others: otherPlans(rows.map(({ held }) => held)) };
}
