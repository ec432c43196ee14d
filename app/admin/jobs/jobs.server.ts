import { eq, sql } from "drizzle-orm";
import { data } from "react-router";
import type { RouteArgs } from "../../auth/session.server.ts";
import { readForm } from "../../http/form.server.ts";
import { isJobId, JOB_STATES, JOBS_THAT_ARE, readJobs, retryJob } from "../../outbox/jobs.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { SELECTED } from "../flash.ts";
import { readListQuery } from "../lists/list-query.ts";
import { listSource } from "../lists/list-source.server.ts";
import { actOnSelected, backToList } from "../lists/selected.server.ts";
import { requireOperator } from "../operator.server.ts";

export const JOBS = listSource({
  name: "jobs",
  readQuery: (search) =>
    readListQuery(search, { sorts: ["created"], isDescending: false, filters: ["state", "job"] }),
  keyset({ filters }) {
    const { job } = filters;
    const requested = JOB_STATES.find((one) => one === filters.state);
    const state = requested ?? (job ? undefined : "open");
    const conditions = [
      state && JOBS_THAT_ARE[state],
      job ? (isJobId(job) ? eq(outbox.id, BigInt(job)) : sql`false`) : undefined,
    ];
    // Job ids increase with time; finished jobs have an index on their time.
    return { by: state === "done" ? outbox.doneAt : outbox.id, id: outbox.id, conditions };
  },
  select: (db, { cursor, ...parts }) => readJobs(db, parts, { cursor }),
  columns: [
    ["kind", ({ kind }) => kind],
    ["created", ({ createdAt }) => createdAt],
    ["tries", ({ attempts }) => attempts],
    ["next try", ({ doneAt, runAt }) => (doneAt ? null : runAt)],
    ["done", ({ doneAt }) => doneAt],
    ["last error", ({ lastError }) => lastError],
    ["job", ({ id }) => id],
  ],
});

/** The action behind “Try now”, for one job or a selection. @returns a redirect that reports the result */
export async function tryNow(args: RouteArgs, read?: FormData): Promise<Response> {
  const { db, operator } = await requireOperator(args);
  const form = read ?? (await readForm(args.request, SELECTED));
  if (form.has("do"))
    return actOnSelected(args.request, form, { retry: (job) => retryJob(db, operator, job) });
  const job = String(form.get("job"));
  if (!/^\d{1,18}$/.test(job)) throw data(null, { status: 400 });
  return backToList(args.request, await retryJob(db, operator, job));
}
