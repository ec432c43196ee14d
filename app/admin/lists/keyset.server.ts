import { type AnyColumn, and, Column, is, type SQL, sql } from "drizzle-orm";
import { DatabaseError } from "pg";
import { data } from "react-router";
import type { Queryable } from "../../db/client.server.ts";
import { type Cursor, encodeCursor, type ListQuery, MOST_COUNTED } from "./list-query.ts";

export const PAGE_SIZE = 50;

type Expression = SQL | AnyColumn;

/** `text` compares as an index with `text_pattern_ops` does, for prefixes. */
const OPERATORS = {
  type: { smaller: "<", greater: ">", ascending: "ASC", descending: "DESC" },
  pattern: { smaller: "~<~", greater: "~>~", ascending: "USING ~<~", descending: "USING ~>~" },
} as const;

/** Indexed together in this order, unique, and never null. */
export interface Keyset {
  by: Expression;
  /** Of an expression, by default text; a column has its own. */
  type?: string;
  id: Expression;
  order?: keyof typeof OPERATORS;
  /** All of which hold for the rows of the list. */
  conditions?: readonly (SQL | undefined)[];
}

export interface PageParts {
  where: SQL | undefined;
  orderBy: SQL[];
  limit: number;
  cursor: SQL<Cursor>;
}

export interface ListPage<Row> {
  rows: Row[];
  next: string | null;
  previous: string | null;
}

/** By key, so that late pages cost no more and none shifts. @throws the 400 page for an invalid cursor */
export async function readPage<Row extends { cursor: Cursor }>(
  keyset: Keyset,
  query: Pick<ListQuery, "isDescending" | "from">,
  select: (parts: PageParts) => PromiseLike<Row[]>,
  size = PAGE_SIZE,
): Promise<ListPage<Row>> {
  const { by, id, order = "type", conditions = [] } = keyset;
  const { isDescending, from } = query;
  const isBackwards = from?.direction === "before";
  const { ascending, descending } = OPERATORS[order];
  const direction = sql.raw(isDescending !== isBackwards ? descending : ascending);
  const found = await Promise.resolve(
    select({
      where: and(from ? isBeyond(keyset, query) : undefined, ...conditions),
      orderBy: [sql`${by} ${direction}`, sql`${id} ${direction}`],
      limit: size + 1,
      cursor: sql<Cursor>`json_build_array(${by}::text, ${id}::text)`,
    }),
  ).catch(refuseCursor);
  const rows = found.slice(0, size);
  if (isBackwards) rows.reverse();
  const hasMore = found.length > size;
  const cursorOf = (row: Row | undefined) => (row ? encodeCursor(row.cursor) : null);
  return {
    rows,
    next: isBackwards || hasMore ? cursorOf(rows.at(-1)) : null,
    previous: isBackwards ? (hasMore ? cursorOf(rows[0]) : null) : from ? cursorOf(rows[0]) : null,
  };
}

/** Whether a row comes after the cursor, in the direction of reading. */
function isBeyond(
  { by, type = typeOf(by), id, order = "type" }: Keyset,
  { isDescending, from }: Pick<ListQuery, "isDescending" | "from">,
): SQL {
  const { smaller, greater } = OPERATORS[order];
  const comparison = sql.raw(isDescending !== (from?.direction === "before") ? smaller : greater);
  const [value, key] = from?.cursor ?? [];
  return sql`(${by}, ${id}) ${comparison} (${value}::${sql.raw(type)}, ${key}::${sql.raw(typeOf(id))})`;
}

/** The rows of all pages, and those before this one. `null`: too many to count them for a page. */
export type ListCount = { total: number; before: number } | null;

export async function countRows(
  db: Queryable,
  keyset: Keyset & { id: AnyColumn },
  query: Pick<ListQuery, "isDescending" | "from">,
  { rows, next }: ListPage<unknown>,
): Promise<ListCount> {
  if (!query.from && !next) return { total: rows.length, before: 0 };
  const counted = db
    .select({ beyond: sql<boolean>`${query.from ? isBeyond(keyset, query) : sql`true`}`.as("beyond") })
    .from(keyset.id.table)
    .where(and(...(keyset.conditions ?? [])))
    .limit(MOST_COUNTED + 1)
    .as("counted");
  const [count] = await db
    .select({
      total: sql<number>`count(*)::int`,
      beyond: sql<number>`(count(*) FILTER (WHERE ${counted.beyond}))::int`,
    })
    .from(counted);
  if (!count || count.total > MOST_COUNTED) return null;
  const { total, beyond } = count;
  return { total, before: query.from?.direction === "before" ? beyond - rows.length : total - beyond };
}

/** `bigserial` is not a type to cast to. */
const typeOf = (key: Expression) => (is(key, Column) ? key.getSQLType().replace("serial", "int") : "text");

/** A typed cursor may be no value of its type (SQLSTATE class 22). */
function refuseCursor(error: unknown): never {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof DatabaseError && cause.code?.startsWith("22")) throw data(null, { status: 400 });
  throw error;
}

/** Answered by an index with `text_pattern_ops` on the expression. */
export function startsWith(expression: Expression, prefix: string): SQL {
  return sql`${expression} LIKE ${`${prefix.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`}`;
}
