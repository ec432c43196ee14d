import { sql } from "drizzle-orm";
import { COMMAND_LINE } from "../../app/audit/record-change.server.ts";
import type { Database } from "../../app/db/client.server.ts";
import {
  findJob,
  JOB_STATES,
  JOBS_THAT_ARE,
  type JobState,
  type Retry,
  readJobs,
  retryJob,
} from "../../app/outbox/jobs.server.ts";
import { outbox } from "../../app/outbox/schema.ts";
import { answerFrom } from "../open.ts";
import { type OpsAnswer, type OpsCommands, OpsError, USAGE_ERROR } from "./command.ts";

/** The rest is asked for by state, or in the console. */
const MAX_ROWS = 100;

export const commands: OpsCommands = {
  list: {
    usage: "list [open|failing|done]",
    summary: `The oldest ${MAX_ROWS} jobs that are open or fail, or the ${MAX_ROWS} done most recently. Without a word: open ones.`,
    run: ([state = "open", ...more]) => {
      const known = JOB_STATES.find((one) => one === state);
      if (!known || more.length > 0)
        throw new OpsError(`there is no state ${[state, ...more].join(" ")}`, USAGE_ERROR);
      return answerFrom(({ db }) => list(db, known));
    },
  },
  show: {
    usage: "show NUMBER",
    summary:
      "What is known of a job: kind, age, tries, when it is tried next, and what the last try failed with.",
    run: (args) => {
      const id = numberOf(args);
      return answerFrom(async ({ db }) => {
        const job = await findJob(db, id);
        if (!job)
          throw new OpsError(`there is no job ${id}: it never was, or was done more than 30 days ago`);
        return { text: lineOf(job), data: job };
      });
    },
  },
  retry: {
    usage: "retry NUMBER",
    summary: "Has a waiting job tried now instead of after its pause.",
    run: (args) => {
      const id = numberOf(args);
      return answerFrom(async ({ db }) => {
        const outcome = await retryJob(db, COMMAND_LINE, id);
        const text = REASONS[outcome](id);
        if (outcome !== "due") throw new OpsError(text);
        return { text, data: { job: id, outcome } };
      });
    },
  },
};

const REASONS: Record<Retry, (id: string) => string> = {
  due: (id) => `job ${id} is tried now, within a second, if the site is running`,
  running: (id) => `job ${id} is being tried at this moment: nothing was changed`,
  done: (id) => `job ${id} is done already: nothing was changed`,
  unknown: (id) => `there is no job ${id}: it never was, or was done more than 30 days ago`,
};

async function list(db: Database, state: JobState): Promise<OpsAnswer> {
  const orderBy = state === "done" ? [sql`${outbox.doneAt} DESC`] : [sql`${outbox.id}`];
  const jobs = await readJobs(db, { where: JOBS_THAT_ARE[state], orderBy, limit: MAX_ROWS }, {});
  return { text: jobs.map(lineOf).join("\n") || `no jobs are ${state}`, data: jobs };
}

function lineOf(job: NonNullable<Awaited<ReturnType<typeof findJob>>>): string {
  const { id, kind, createdAt, attempts, runAt, doneAt, lastError, isRunning } = job;
  const state = doneAt
    ? `done ${doneAt.toISOString()}`
    : isRunning
      ? "running"
      : `${lastError ? "failing" : "waiting"}, next try ${runAt.toISOString()}`;
  const failed = lastError && !doneAt ? `\n    ${lastError}` : "";
  return `${id}  ${kind}  since ${createdAt.toISOString()}  ${attempts} tries  ${state}${failed}`;
}

function numberOf([id = "", ...more]: string[]): string {
  if (!/^\d{1,18}$/.test(id) || more.length > 0)
    throw new OpsError("give the number of one job", USAGE_ERROR);
  return id;
}
