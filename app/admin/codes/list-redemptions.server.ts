import { and, eq, sql } from "drizzle-orm";
import { mailboxSql } from "../../auth/mailbox.ts";
import { user } from "../../auth/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { grants } from "../../promo/schema.ts";
import { readPage } from "../lists/keyset.server.ts";
import type { ListQuery, ListRules } from "../lists/list-query.ts";
import { MOST_A_DAY } from "./code-words.ts";

export const REDEMPTION_LIST: ListRules = { sorts: ["redeemed"], isDescending: true, filters: [] };

/** Another account that redeemed the code with another spelling of the same mailbox: found by the mailbox, of which there are few. */
const SAME_MAILBOX = sql<{ id: string; email: string } | null>`(
  SELECT json_build_object('id', other.id, 'email', other.email)
  FROM ${user} AS other
  WHERE ${mailboxSql(sql`other.email`)} = ${mailboxSql(sql`${user.email}`)} AND other.id <> ${user.id}
    AND (SELECT true FROM ${grants} AS theirs WHERE theirs.user_id = other.id AND theirs.promo_code = ${grants.promoCode})
  LIMIT 1
)`;

/** A page of who redeemed a code, and when. */
export function listRedemptions(db: Queryable, code: string, query: ListQuery, size?: number) {
  return readPage(
    { by: grants.createdAt, type: "timestamptz", id: grants.id, idType: "text" },
    query,
    ({ where, orderBy, limit, cursor }) =>
      db
        .select({
          id: grants.id,
          userId: grants.userId,
          email: user.email,
          tier: grants.tier,
          redeemedAt: grants.createdAt,
          expiresAt: grants.expiresAt,
          revokedAt: grants.revokedAt,
          isOver: sql<boolean>`${grants.expiresAt} <= now()`,
          sameMailbox: SAME_MAILBOX,
          cursor,
        })
        .from(grants)
        .leftJoin(user, eq(user.id, grants.userId))
        .where(and(eq(grants.promoCode, code), where))
        .orderBy(...orderBy)
        .limit(limit),
    size,
  );
}

export type ListedRedemption = Awaited<ReturnType<typeof listRedemptions>>["rows"][number];

/** As many as the page shows, and as many before them. */
const DAYS = 60;

/** How often a code was redeemed on each of the last DAYS days, in UTC, up to MOST_A_DAY. */
export async function countRedemptionsByDay(
  db: Queryable,
  code: string,
): Promise<{ label: string; value: number }[]> {
  const { rows } = await db.execute<{ label: string; value: number }>(sql`
    SELECT to_char(day, 'YYYY-MM-DD') AS label, redeemed.count AS value
    FROM generate_series(
      (now() AT TIME ZONE 'UTC')::date - ${DAYS - 1}::int, (now() AT TIME ZONE 'UTC')::date, interval '1 day'
    ) AS day,
    LATERAL (
      SELECT count(*)::int FROM (
        SELECT FROM ${grants}
        WHERE promo_code = ${code} AND created_at >= day AT TIME ZONE 'UTC'
          AND created_at < (day + interval '1 day') AT TIME ZONE 'UTC'
        LIMIT ${MOST_A_DAY}
      ) AS first
    ) AS redeemed
    ORDER BY day`);
  return rows;
}
