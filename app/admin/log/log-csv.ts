import type { LoggedChange } from "../../audit/read-log.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { CSV_CHUNK, csvResponse } from "../lists/csv.server.ts";
import { type Cursor, listQueryAfter, readListQuery } from "../lists/list-query.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/log-csv.ts";
import { LOG_RULES, listChanges } from "./list-changes.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const { searchParams } = new URL(args.request.url);
  return csvResponse<LoggedChange & { cursor: Cursor }>(
    args.request,
    { db, actor },
    {
      name: "audit-log",
      filters: readListQuery(searchParams, LOG_RULES).filters,
      columns: [
        ["at", ({ at }) => at],
        ["actor", ({ actor }) => actor],
        ["action", ({ action }) => action],
        ["subject", ({ subject }) => subject],
        ["before", ({ before }) => before && JSON.stringify(before)],
        ["after", ({ after }) => after && JSON.stringify(after)],
        ["reason", ({ reason }) => reason],
      ],
      readChunk: (after) => listChanges(db, listQueryAfter(searchParams, LOG_RULES, after), CSV_CHUNK),
    },
  );
}
