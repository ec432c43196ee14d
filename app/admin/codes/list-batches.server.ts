import type { Queryable } from "../../db/client.server.ts";
import { promoBatches } from "../../promo/schema.ts";
import { readPage } from "../lists/keyset.server.ts";
import type { ListQuery, ListRules } from "../lists/list-query.ts";

export const BATCH_LIST: ListRules = { sorts: ["created"], isDescending: true, filters: [] };

/** A page of the batches. There are few of them, so none of it needs an index. */
export function listBatches(db: Queryable, query: ListQuery) {
  return readPage(
    { by: promoBatches.createdAt, type: "timestamptz", id: promoBatches.id, idType: "text" },
    query,
    ({ where, orderBy, limit, cursor }) =>
      db
        .select({ row: promoBatches, cursor })
        .from(promoBatches)
        .where(where)
        .orderBy(...orderBy)
        .limit(limit)
        .then((rows) => rows.map(({ row, cursor }) => ({ ...row, cursor }))),
  );
}

export type ListedBatch = Awaited<ReturnType<typeof listBatches>>["rows"][number];
