import { and, eq, sql } from "drizzle-orm";
import { data } from "react-router";
import { z } from "zod";
import type { RouteArgs } from "../../auth/session.server.ts";
import type { Database } from "../../db/client.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import {
  isJobId,
  JOB_STATES,
  JOBS_THAT_ARE,
  type ListedJob,
  readJobs,
  retryJob,
} from "../../outbox/jobs.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { SELECTED } from "../flash.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import type { Cursor, ListQuery, ListRules } from "../lists/list-query.ts";
import { actOnSelected, backToList } from "../lists/selected.server.ts";
import type { Operator } from "../operator.server.ts";

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

const retryForm = z.object({ job: z.string().regex(/^\d{1,18}$/) });

/** The action behind “Try now”, for one job or those selected. @returns the redirect to the page, which says what came of it */
export async function tryNow(args: RouteArgs, operator: Operator): Promise<Response> {
  const { db } = fromContext(args.context).app;
  const form = await readForm(args.request, SELECTED);
  if (form.has("press"))
    return actOnSelected(args.request, form, { retry: (job) => retryJob(db, operator, job) });
  const sent = retryForm.safeParse(Object.fromEntries(form));
  if (!sent.success) throw data(null, { status: 400 });
  return backToList(args.request, await retryJob(db, operator, sent.data.job));
}
