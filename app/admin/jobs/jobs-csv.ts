import { fromContext } from "../../http/context.server.ts";
import type { ListedJob } from "../../outbox/jobs.server.ts";
import { CSV_CHUNK, csvResponse } from "../lists/csv.server.ts";
import { type Cursor, listQueryAfter, readListQuery } from "../lists/list-query.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/jobs-csv.ts";
import { JOB_RULES, listJobs } from "./list-jobs.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const { searchParams } = new URL(args.request.url);
  return csvResponse<ListedJob & { cursor: Cursor }>(
    args.request,
    { db, actor },
    {
      name: "jobs",
      filters: readListQuery(searchParams, JOB_RULES).filters,
      columns: [
        ["job", ({ id }) => id],
        ["kind", ({ kind }) => kind],
        ["created", ({ createdAt }) => createdAt],
        ["tries", ({ attempts }) => attempts],
        ["next try", ({ doneAt, runAt }) => (doneAt ? null : runAt)],
        ["done", ({ doneAt }) => doneAt],
        ["last error", ({ lastError }) => lastError],
      ],
      readChunk: (after) => listJobs(db, listQueryAfter(searchParams, JOB_RULES, after), CSV_CHUNK),
    },
  );
}
