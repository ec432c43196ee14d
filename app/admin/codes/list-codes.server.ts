import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { normalisePromoCode, stateOfPromoCode } from "../../promo/rules.ts";
import { promoCodes } from "../../promo/schema.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import type { Cursor, ListQuery, ListRules } from "../lists/list-query.ts";

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
