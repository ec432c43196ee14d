import type { RouteArgs } from "../../auth/session.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { requireOperator } from "../operator.server.ts";
import type { CsvColumn } from "./csv.server.ts";
import type { ListPage } from "./keyset.server.ts";
import type { Cursor, ListQuery } from "./list-query.ts";

/** A list that a page shows and a CSV file has whole. */
export interface ListSource<Row extends { cursor: Cursor }> {
  name: string;
  readQuery: (search: URLSearchParams) => ListQuery;
  /** @throws the 400 page for an invalid cursor */
  read: (db: Queryable, query: ListQuery, size?: number) => Promise<ListPage<Row>>;
  columns: readonly CsvColumn<Row>[];
}

/** @throws as `requireOperator` */
export async function loadList<Row extends { cursor: Cursor }>(
  args: RouteArgs,
  list: Pick<ListSource<Row>, "readQuery" | "read">,
) {
  await requireOperator(args);
  const query = list.readQuery(new URL(args.request.url).searchParams);
  return { query, page: await list.read(fromContext(args.context).app.db, query) };
}
