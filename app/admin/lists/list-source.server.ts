import type { AnyColumn } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import type { CsvColumn } from "./csv.server.ts";
import { type Keyset, type ListPage, type PageParts, readPage } from "./keyset.server.ts";
import type { Cursor, ListQuery } from "./list-query.ts";

export interface Listed {
  cursor: Cursor;
}

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
