import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { outbox } from "./schema.ts";

/** Open jobs are failing or waiting, or running as one of them. */
export const JOB_STATES = ["open", "failing", "waiting", "done"] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Without its payload, which may have addresses and secrets in it. */
export type ListedJob = Awaited<ReturnType<typeof readJobs>>[number];

const isFailing = and(isNull(outbox.doneAt), isNotNull(outbox.lastError));

/** Each has an index. */
export const JOBS_THAT_ARE: Record<JobState, SQL | undefined> = {
  open: isNull(outbox.doneAt),
  failing: isFailing,
  waiting: and(isNull(outbox.doneAt), isNull(outbox.lastError)),
  done: isNotNull(outbox.doneAt),
};

/** An expired claim belongs to a dead process. */
const COLUMNS = {
  id: sql<string>`${outbox.id}::text`,
  kind: outbox.kind,
  createdAt: outbox.createdAt,
  attempts: outbox.attempts,
  runAt: outbox.runAt,
  doneAt: outbox.doneAt,
  lastError: outbox.lastError,
  isRunning: sql<boolean>`${outbox.doneAt} IS NULL AND ${outbox.claimedAt} IS NOT NULL AND ${outbox.runAt} > now()`,
  isScheduled: sql<boolean>`${outbox.claimedAt} IS NULL AND ${outbox.lastError} IS NULL AND ${outbox.runAt} > now()`,
};

/** @param extra further columns, such as a list's cursor */
export function readJobs<Extra extends Record<string, SQL>>(
  db: Queryable,
  parts: { where: SQL | undefined; orderBy: SQL[]; limit: number },
  extra: Extra,
) {
  return db
    .select({ ...COLUMNS, ...extra })
    .from(outbox)
    .where(parts.where)
    .orderBy(...parts.orderBy)
    .limit(parts.limit);
}

export async function findJob(db: Queryable, id: string) {
  if (!isJobId(id)) return null;
  const [job] = await db
    .select(COLUMNS)
    .from(outbox)
    .where(eq(outbox.id, BigInt(id)));
  return job ?? null;
}

export type Retry = "due" | "running" | "done" | "unknown";

/** @returns `due`: a worker takes it within a second; the others: why nothing was changed */
export function retryJob(db: Database, actor: Actor, id: string): Promise<Retry> {
  return db.transaction(async (tx) => {
    if (!isJobId(id)) return "unknown";
    const [due] = await tx
      .update(outbox)
      .set({ runAt: sql`least(${outbox.runAt}, now())` })
      .where(and(eq(outbox.id, BigInt(id)), isNull(outbox.doneAt), isNull(outbox.claimedAt)))
      .returning({ kind: outbox.kind, attempts: outbox.attempts });
    if (due) {
      await recordChange(tx, actor, { action: "job.retried", subject: `job:${id}`, after: due });
      return "due";
    }
    const job = await findJob(tx, id);
    if (!job) return "unknown";
    if (job.doneAt) return "done";
    // Its process has died: the job will be claimed again.
    return job.isRunning ? "running" : "due";
  });
}

export function isJobId(id: string): boolean {
  return /^[1-9]\d{0,17}$/.test(id);
}
