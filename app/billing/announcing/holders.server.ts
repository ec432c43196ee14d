import { sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { FEATURES_BY_TIER, type Feature, TIERS, type Tier } from "../../entitlements/tiers.ts";

/** Somebody whose plan in force includes a feature. */
export interface Holder {
  userId: string;
  email: string;
  /** The tiers they pay for, of those that include it. */
  paidTiers: Tier[];
}

/** The tiers that include a feature. */
function tiersWith(feature: Feature): Tier[] {
  return TIERS.filter((tier) => FEATURES_BY_TIER[tier].includes(feature));
}

/**
 * Those who have a feature among the next `limit` people who ever had a plan, in the order of their ids: each call costs
 * the same, however many there are. Their accounts cannot be deleted before the transaction ends.
 *
 * @param after the id to go on from, `last` of the call before; "" to begin
 * @returns `last` is `null` when nobody is left
 */
export async function lockNextHolders(
  tx: Queryable,
  feature: Feature,
  after: string,
  limit: number,
): Promise<{ holders: Holder[]; last: string | null }> {
  const { rows } = await tx.execute<{ user_id: string; email: string; paid: Tier[] | null; holds: boolean }>(
    sql`
      WITH next AS MATERIALIZED (
        SELECT user_id FROM (
          (SELECT DISTINCT user_id FROM grants WHERE user_id > ${after} ORDER BY user_id LIMIT ${limit})
          UNION
          (SELECT DISTINCT user_id FROM stripe_subscriptions WHERE user_id > ${after} ORDER BY user_id LIMIT ${limit})
        ) AS either
        ORDER BY user_id LIMIT ${limit}
      )
      SELECT "user".id AS user_id, "user".email, held.paid, held.holds
      FROM next
      JOIN "user" ON "user".id = next.user_id
      CROSS JOIN LATERAL (
        SELECT count(*) > 0 AS holds, array_agg(tier) FILTER (WHERE source = 'paid') AS paid
        FROM held_plans
        WHERE held_plans.user_id = next.user_id AND tier IN ${tiersWith(feature)}
      ) AS held
      ORDER BY "user".id
      FOR KEY SHARE OF "user"`,
  );
  return {
    holders: rows.flatMap(({ user_id: userId, email, paid, holds }) =>
      holds ? [{ userId, email, paidTiers: paid ?? [] }] : [],
    ),
    last: rows.at(-1)?.user_id ?? null,
  };
}

/** People looked at to say how many have a feature. */
const COUNTED = 500;

/** How many have a feature, or at least how many when there are more than can be counted quickly. */
export async function countHolders(
  db: Queryable,
  feature: Feature,
): Promise<{ count: number; isAll: boolean }> {
  const { holders, last } = await lockNextHolders(db, feature, "", COUNTED);
  const isAll = last === null || (await lockNextHolders(db, feature, last, 1)).last === null;
  return { count: holders.length, isAll };
}
