import { and, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { findJob, readJobs } from "../../outbox/jobs.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { kindInWords, stateOfJob } from "../jobs/job-words.ts";
import { startsWith } from "../people/people-list.server.ts";
import type { Hit } from "./hit.ts";

/** Of a kind; the list of jobs has the others. */
const MOST_SHOWN = 10;
/** Shorter words begin the names of many people, and few mean a job. */
const LEAST_LETTERS = 3;

type Job = NonNullable<Awaited<ReturnType<typeof findJob>>>;

/** The job with this number; or the open ones, the oldest first, whose kind begins with these words: "send mail". */
export async function findJobs(db: Queryable, text: string): Promise<Hit[]> {
  const job = await findJob(db, text);
  if (job) return [hitOf(job, true)];
  const kind = text.toLowerCase().replaceAll(" ", "_");
  if (kind.length < LEAST_LETTERS || !/^[a-z_]+$/.test(kind)) return [];
  const where = and(isNull(outbox.doneAt), startsWith(outbox.kind, kind));
  const open = await readJobs(db, { where, orderBy: [sql`${outbox.id}`], limit: MOST_SHOWN }, {});
  return open.map((each) => hitOf(each, false));
}

function hitOf(job: Job, isExact: boolean): Hit {
  const { id, kind, lastError, doneAt } = job;
  return {
    kind: "Job",
    title: `${kindInWords(kind)} ${id}`,
    detail: [stateOfJob(job).word, doneAt ? null : lastError].filter(Boolean).join(": "),
    href: kind === "send_mail" ? `/admin/mail/${id}` : `/admin/jobs?job=${id}`,
    isExact,
  };
}
