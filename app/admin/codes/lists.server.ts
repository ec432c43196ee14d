import { eq, getTableColumns, sql } from "drizzle-orm";
import { mailboxSql } from "../../auth/mailbox.ts";
import { user } from "../../auth/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { normalizePromoCode, type PromoCodeState } from "../../promo/rules.ts";
import { grants, promoCodes } from "../../promo/schema.ts";
import { type ListQuery, readListQuery } from "../lists/list-query.ts";
import { listSource, type RowOf } from "../lists/list-source.server.ts";
import { MOST_A_DAY } from "./code-words.ts";

export type ListedCode = RowOf<ReturnType<typeof codeList>>;

export const promoLink = (publicOrigin: string, code: string) =>
  `${publicOrigin}/pricing?${new URLSearchParams({ promo: code })}`;

/** Those of a batch are sorted by code, as their index is. */
export const codeList = (publicOrigin: string, name = "promo-codes") =>
  listSource({
    name,
    readQuery: (search) =>
      readListQuery(search, {
        sorts: ["created", "code"],
        isDescending: true,
        filters: ["code", "state", "batch"],
      }),
    keyset: keysetOfCodes,
    select: (db, { where, orderBy, limit, cursor }) =>
      db
        .select({ ...getTableColumns(promoCodes), state: STATE, cursor })
        .from(promoCodes)
        .where(where)
        .orderBy(...orderBy)
        .limit(limit),
    columns: [
      ["code", ({ code }) => code],
      ["link", ({ code }) => promoLink(publicOrigin, code)],
      ["state", ({ state }) => state],
      ["tier", ({ tier }) => tier ?? "chosen"],
      ["duration", ({ durationType }) => durationType],
      ["months", ({ durationMonths }) => durationMonths],
      ["redeemed", ({ usedCount }) => usedCount],
      ["max_uses", ({ maxUses }) => maxUses],
      ["starts_at", ({ startsAt }) => startsAt],
      ["expires_at", ({ expiresAt }) => expiresAt],
      ["confirmed_only", ({ confirmedOnly }) => confirmedOnly],
      ["once_per_mailbox", ({ oncePerMailbox }) => oncePerMailbox],
      ["batch", ({ batchId }) => batchId],
      ["note", ({ note }) => note],
      ["created_at", ({ createdAt }) => createdAt],
    ],
  });

/** As `stateOfPromoCode` has it, but by the clock that also filters. */
const STATE = sql<PromoCodeState>`CASE
  WHEN NOT ${promoCodes.active} THEN 'paused'
  WHEN ${promoCodes.expiresAt} <= now() THEN 'ended'
  WHEN ${promoCodes.usedCount} >= ${promoCodes.maxUses} THEN 'used up'
  WHEN ${promoCodes.startsAt} > now() THEN 'not yet'
  ELSE 'active' END`;

function keysetOfCodes({ sort, filters: { code, state, batch } }: ListQuery) {
  const conditions = [
    // Of those of one list, which are few: a batch, or what was made one by one.
    code ? sql`starts_with(${promoCodes.code}, ${normalizePromoCode(code)})` : undefined,
    state ? sql`${STATE} = ${state}` : undefined,
    batch ? eq(promoCodes.batchId, batch) : sql`${promoCodes.isSingle}`,
  ];
  const isByDate = sort === "created" && !batch;
  return { by: isByDate ? promoCodes.createdAt : promoCodes.code, id: promoCodes.code, conditions };
}

/** An account that redeemed the code with another spelling of the same mailbox. */
const SAME_MAILBOX = sql<{ id: string; email: string } | null>`(
  SELECT json_build_object('id', other.id, 'email', other.email)
  FROM ${user} AS other
  WHERE ${mailboxSql(sql`other.email`)} = ${mailboxSql(sql`${user.email}`)} AND other.id <> ${user.id}
    AND (SELECT true FROM ${grants} AS theirs WHERE theirs.user_id = other.id AND theirs.promo_code = ${grants.promoCode})
  LIMIT 1
)`;

export type ListedRedemption = RowOf<ReturnType<typeof redemptionsOf>>;

export const redemptionsOf = (code: string) =>
  listSource({
    name: "redemptions",
    readQuery: (search) => readListQuery(search, { sorts: ["redeemed"], isDescending: true, filters: [] }),
    keyset: () => ({ by: grants.createdAt, id: grants.id, conditions: [eq(grants.promoCode, code)] }),
    select: (db, { where, orderBy, limit, cursor }) =>
      db
        .select({
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
        .where(where)
        .orderBy(...orderBy)
        .limit(limit),
    columns: [
      ["email", ({ email }) => email],
      ["tier", ({ tier }) => tier],
      ["redeemed_at", ({ redeemedAt }) => redeemedAt],
      ["expires_at", ({ expiresAt }) => expiresAt],
      ["revoked_at", ({ revokedAt }) => revokedAt],
      ["same_mailbox_as", ({ sameMailbox }) => sameMailbox?.email ?? null],
      ["user_id", ({ userId }) => userId],
    ],
  });

/** As many as the page shows, and those before them. */
const DAYS = 60;

/** Redemptions by day in UTC, each up to MOST_A_DAY. */
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
