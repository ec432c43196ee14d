import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../../db/client.server.ts";
import { isJobId, JOB_STATES, JOBS_THAT_ARE, type ListedJob, readJobs } from "../../outbox/jobs.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import type { Cursor, ListQuery, ListRules } from "../lists/list-query.ts";

export const JOB_RULES: ListRules = { sorts: ["created"], isDescending: false, filters: ["state", "job"] };

/** Jobs are numbered as they are written. */
const BY_NUMBER: Keyset = { by: outbox.id, type: "bigint", id: outbox.id, idType: "bigint" };
/** Those that are done have an index for when. */
const BY_END: Keyset = { by: outbox.doneAt, type: "timestamptz", id: outbox.id, idType: "bigint" };

/** A page of the jobs in the state that the query asks for: all that are open, unless it does; or the one with its number. */
export function listJobs(
  db: Database,
  query: Pick<ListQuery, "filters" | "from" | "isDescending">,
  size?: number,
): Promise<ListPage<ListedJob & { cursor: Cursor }>> {
  const { job } = query.filters;
  const asked = JOB_STATES.find((one) => one === query.filters.state);
  const state = asked ?? (job ? undefined : "open");
  const conditions = [
    state && JOBS_THAT_ARE[state],
    job ? (isJobId(job) ? eq(outbox.id, BigInt(job)) : sql`false`) : undefined,
  ];
  return readPage(
    state === "done" ? BY_END : BY_NUMBER,
    query,
    ({ where, orderBy, limit, cursor }) =>
      readJobs(db, { where: and(where, ...conditions), orderBy, limit }, { cursor }),
    size,
  );
}
