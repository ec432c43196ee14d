import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { ask, firstRow, type Given, rows } from "../db/parts.server.ts";
import { heldPlans, userSubscriptions } from "./schema.ts";

export type UserSubscription = typeof userSubscriptions.$inferSelect;

/** The user's best plan in force, or `null`: an expired one counts as none (spec §4). */
export function currentSubscription(db: Queryable, userId: string): Promise<UserSubscription | null> {
  return ask(db, subscriptionPart(userId));
}

/** The same, for a page that asks more. */
export function subscriptionPart(userId: Given) {
  const { email, tier, status, source, promoCode } = userSubscriptions;
  const { createdAt, expiresAt, renews, features } = userSubscriptions;
  return firstRow(
    {
      userId: userSubscriptions.userId,
      ...{ email, tier, status, source, promoCode, createdAt, expiresAt, renews, features },
    },
    sql`FROM ${userSubscriptions} WHERE ${userSubscriptions.userId} = ${userId}`,
  );
}

/** All of the user's plans in force, paid and granted, in no particular order. */
export function heldPlansPart(userId: Given) {
  const { tier, source, promoCode, expiresAt, renews } = heldPlans;
  return rows(
    { tier, source, promoCode, expiresAt, renews },
    sql`FROM ${heldPlans} WHERE ${heldPlans.userId} = ${userId}`,
  );
}
