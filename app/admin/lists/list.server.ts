import type { RouteArgs } from "../../auth/session.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { requireOperator } from "../operator.server.ts";
import type { CsvColumn } from "./csv.server.ts";
import type { ListPage } from "./keyset.server.ts";
import type { Cursor, ListQuery } from "./list-query.ts";

/** A list of the console, which a page shows and a file has whole. */
export interface ListSource<Row extends { cursor: Cursor }> {
  /** The name of the file, without extension, and in the audit log. */
  name: string;
  /** Parses its URL. Invalid values are ignored. */
  readQuery: (search: URLSearchParams) => ListQuery;
  /** @throws the 400 page for a cursor that is none of this list's */
  read: (db: Queryable, query: ListQuery, size?: number) => Promise<ListPage<Row>>;
  columns: readonly CsvColumn<Row>[];
}

/** The page of a list that the URL asks for, for an operator. @throws as `requireOperator` */
export async function loadList<Row extends { cursor: Cursor }>(
  args: RouteArgs,
  list: Pick<ListSource<Row>, "readQuery" | "read">,
) {
  await requireOperator(args);
  const query = list.readQuery(new URL(args.request.url).searchParams);
  return { query, page: await list.read(fromContext(args.context).app.db, query) };
}
