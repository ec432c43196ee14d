import type { AnyColumn } from "drizzle-orm";
import type { RouteArgs } from "../../auth/session.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { requireOperator } from "../operator.server.ts";
import type { CsvColumn } from "./csv.server.ts";
import { countRows, type Keyset, type ListPage, type PageParts, readPage } from "./keyset.server.ts";
import { type Cursor, isFiltered, type ListQuery } from "./list-query.ts";

/** A list that a page shows and a CSV file has whole. */
export interface ListSource<Row extends Listed> {
  name: string;
  readQuery: (search: URLSearchParams) => ListQuery;
  /** What the list is read along, and counted by. */
  keyset: (query: ListQuery) => Keyset & { id: AnyColumn };
  /** @throws the 400 page for an invalid cursor */
  read: (db: Queryable, query: ListQuery, size?: number) => Promise<ListPage<Row>>;
  columns: readonly CsvColumn<Row>[];
}

interface Listed {
  cursor: Cursor;
}

export type RowOf<Source> = Source extends ListSource<infer Row> ? Row : never;

export function listSource<Row extends Listed>({
  select,
  ...list
}: Omit<ListSource<Row>, "read"> & {
  select: (db: Queryable, parts: PageParts) => PromiseLike<Row[]>;
}): ListSource<Row> {
  return {
    ...list,
    read: (db, query, size) => readPage(list.keyset(query), query, (parts) => select(db, parts), size),
  };
}

/**
 * @param rest the filters of a page that has none, and shows other rows above
 * @throws as `requireOperator`
 */
export async function loadList<Row extends Listed>(
  args: RouteArgs,
  list: ListSource<Row>,
  rest: ListQuery["filters"] = {},
) {
  const { db } = await requireOperator(args);
  const query = list.readQuery(new URL(args.request.url).searchParams);
  const shown = isFiltered(query) ? query : { ...query, filters: rest };
  return { query, page: await readCounted(db, list, shown) };
}

export async function readCounted<Row extends Listed>(
  db: Queryable,
  list: ListSource<Row>,
  query: ListQuery,
  size?: number,
) {
  const page = await list.read(db, query, size);
  return { ...page, count: await countRows(db, list.keyset(query), query, page) };
}
