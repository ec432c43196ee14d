import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { waitlist } from "../db/schema.ts";
import { PLACES_PER_FRIEND } from "./rules.ts";

export interface Place {
  /** From 1. */
  number: number;
  /** How many came by this one's link and have confirmed. */
  friends: number;
  referralCode: string;
}

/**
 * The place of whoever has confirmed with this token. It is derived, never stored.
 *
 * The rule: people stand in the order in which they confirmed, those who left not counted, and each friend who came by
 * their link and confirmed moves them up `PLACES_PER_FRIEND`. Of two who arrive at the same number, the one who moved
 * stands before the one who was there; otherwise five places would be four.
 */
export async function findPlace(db: Queryable, token: string): Promise<Place | null> {
  const { rows } = await db.execute<Place & Record<string, unknown>>(sql`
    WITH brought AS (
      SELECT referred_by AS id, count(*) AS friends
      FROM ${waitlist} WHERE referred_by IS NOT NULL AND confirmed_at IS NOT NULL
      GROUP BY referred_by
    ), turns AS (
      SELECT token, referral_code, coalesce(friends, 0) AS friends, row_number() OVER (ORDER BY ticket) AS turn
      FROM ${waitlist} LEFT JOIN brought USING (id)
      WHERE confirmed_at IS NOT NULL
    ), places AS (
      SELECT token, referral_code, friends,
        row_number() OVER (ORDER BY turn - ${PLACES_PER_FRIEND}::int * friends, turn DESC) AS number
      FROM turns
    )
    SELECT number::int, friends::int, referral_code AS "referralCode" FROM places WHERE token = ${token}`);
  return rows[0] ?? null;
}
