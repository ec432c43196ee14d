import { and, desc, eq, getViewSelectedFields, gt, ne, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { prepareOnce } from "../db/prepare.server.ts";
import { entitlements, userSubscriptions } from "./schema.ts";
import { TIERS } from "./tiers.ts";
import { waitingGrants } from "./waiting-grants.ts";

export type UserSubscription = typeof userSubscriptions.$inferSelect;

/** `null`: none; an expired one counts as none (spec §4). */
export async function currentSubscription(db: Queryable, userId: string): Promise<UserSubscription | null> {
  const [found] = await db.select().from(userSubscriptions).where(eq(userSubscriptions.userId, userId));
  return found ?? null;
}

const { tier, source, promoCode, expiresAt, renews } = entitlements;

/** What they hold at `end` besides what they pay for: the best grant that lasts longer; `null`: none. */
export async function readRemainingGrant(db: Queryable, userId: string, end: Date) {
  const grants = await db
    .select({ tier, source, promoCode, expiresAt })
    .from(entitlements)
    .where(and(eq(entitlements.userId, userId), ne(source, "paid"), gt(expiresAt, end)))
    .orderBy(desc(expiresAt));
  return TIERS.toReversed().flatMap((best) => grants.find((grant) => grant.tier === best) ?? [])[0] ?? null;
}

const findAccess = prepareOnce((db) =>
  db
    .select({
      subscription: getViewSelectedFields(userSubscriptions),
      entitlement: { tier, source, promoCode, expiresAt, renews },
    })
    .from(entitlements)
    .innerJoin(userSubscriptions, eq(userSubscriptions.userId, entitlements.userId))
    .where(eq(entitlements.userId, sql.placeholder("userId")))
    .prepare("access"),
);

/** The best plan in force, and the grants that wait behind it. */
export async function readAccess(db: Queryable, userId: string) {
  const rows = await findAccess(db).execute({ userId });
  const waiting = waitingGrants(rows.map(({ entitlement }) => entitlement));
  return { subscription: rows[0]?.subscription ?? null, waiting };
}
