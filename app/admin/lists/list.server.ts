import type { RouteArgs } from "../../auth/session.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { requireOperator } from "../operator.server.ts";
import { countRows } from "./keyset.server.ts";
import { isFiltered, type ListQuery } from "./list-query.ts";
import type { Listed, ListSource } from "./list-source.server.ts";

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
