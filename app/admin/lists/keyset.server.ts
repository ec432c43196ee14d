import { type AnyColumn, and, Column, is, type SQL, sql } from "drizzle-orm";
import { DatabaseError } from "pg";
import { data } from "react-router";
import { type Cursor, encodeCursor, type ListQuery } from "./list-query.ts";

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
  { by, type = typeOf(by), id, order = "type", conditions = [] }: Keyset,
  { isDescending, from }: Pick<ListQuery, "isDescending" | "from">,
  select: (parts: PageParts) => PromiseLike<Row[]>,
  size = PAGE_SIZE,
): Promise<ListPage<Row>> {
  const isBackwards = from?.direction === "before";
  const { smaller, greater, ascending, descending } = OPERATORS[order];
  const direction = sql.raw(isDescending !== isBackwards ? descending : ascending);
  const comparison = sql.raw(isDescending !== isBackwards ? smaller : greater);
  const [value, key] = from?.cursor ?? [];
  const isBeyond = sql`(${by}, ${id}) ${comparison} (${value}::${sql.raw(type)}, ${key}::${sql.raw(typeOf(id))})`;
  const found = await Promise.resolve(
    select({
      where: and(from ? isBeyond : undefined, ...conditions),
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
