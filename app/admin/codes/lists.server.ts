import { and, eq, type SQL, sql } from "drizzle-orm";
import { mailboxSql } from "../../auth/mailbox.ts";
import { user } from "../../auth/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { normalisePromoCode, stateOfPromoCode } from "../../promo/rules.ts";
import { grants, promoCodes } from "../../promo/schema.ts";
import type { CsvColumn } from "../lists/csv.server.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import type { Cursor, ListQuery, ListRules } from "../lists/list-query.ts";
import { MOST_A_DAY } from "./code-words.ts";

export const CODE_LIST: ListRules = {
  sorts: ["created", "code"],
  isDescending: true,
  filters: ["code", "batch"],
};

const BY_CODE: Keyset = { by: promoCodes.code, type: "text", id: promoCodes.code, idType: "text" };

const KEYSETS: Record<string, Keyset> = {
  created: { by: promoCodes.createdAt, type: "timestamptz", id: promoCodes.code, idType: "text" },
  code: BY_CODE,
};

export type ListedCode = typeof promoCodes.$inferSelect & {
  state: ReturnType<typeof stateOfPromoCode>;
  cursor: Cursor;
};

/**
 * A page of the promo codes: those made one by one, those of a batch, or a single one. Those of a batch are sorted by code,
 * whatever the query says: their index is.
 */
export async function listCodes(
  db: Queryable,
  query: ListQuery,
  size?: number,
): Promise<ListPage<ListedCode>> {
  const { code, batch } = query.filters;
  const conditions: SQL[] = [];
  if (code) conditions.push(eq(promoCodes.code, normalisePromoCode(code)));
  if (batch) conditions.push(eq(promoCodes.batchId, batch));
  if (!code && !batch) conditions.push(sql`${promoCodes.isSingle}`);
  const keyset = batch ? BY_CODE : (KEYSETS[query.sort] ?? BY_CODE);
  const page = await readPage(
    keyset,
    query,
    ({ where, orderBy, limit, cursor }) =>
      db
        .select({ row: promoCodes, cursor })
        .from(promoCodes)
        .where(and(...conditions, where))
        .orderBy(...orderBy)
        .limit(limit)
        .then((rows) => rows.map(({ row, cursor }) => ({ ...row, cursor }))),
    size,
  );
  const now = new Date();
  return { ...page, rows: page.rows.map((row) => ({ ...row, state: stateOfPromoCode(row, now) })) };
}

/** What a code leads to when it is followed as a link. */
export const promoLink = (publicOrigin: string, code: string) =>
  `${publicOrigin}/pricing?${new URLSearchParams({ promo: code })}`;

/** What a file says of each code. */
export const codeColumns = (publicOrigin: string): CsvColumn<ListedCode>[] => [
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
];

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
