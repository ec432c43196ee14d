import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { summariseError } from "../log/log.server.ts";
import type { Job } from "./outbox.server.ts";
import { outbox } from "./schema.ts";

/** How long a claim lasts without being renewed: the jobs of a process that was killed wait as long. */
const CLAIM_SECONDS = 25;
/** The longest pause between two tries, so that even a long outage is followed by minutes of waiting. */
const LONGEST_DELAY_SECONDS = 5 * 60;

/** A job as a worker holds it. `attempts` is also what the claim is known by: it grows with every claim. */
export interface ClaimedJob extends Job {
  kind: string;
  payload: unknown;
  attempts: number;
}

/**
 * Takes the job that has been due longest for this worker alone, by moving its `run_at` to the end of the claim. A job
 * about something that another worker is busy with waits until that one is done.
 */
export async function claimJob(db: Database, kinds: string[]): Promise<ClaimedJob | null> {
  const [job] = await db
    .update(outbox)
    .set({
      attempts: sql`${outbox.attempts} + 1`,
      claimedAt: sql`now()`,
      runAt: sql`now() + make_interval(secs => ${CLAIM_SECONDS})`,
    })
    .where(
      sql`${outbox.id} = (
        SELECT id FROM ${outbox} AS due
        WHERE done_at IS NULL AND run_at <= now() AND kind IN ${kinds} AND NOT EXISTS (
          SELECT FROM ${outbox} AS running
          WHERE running.kind = due.kind AND running.dedupe_key = due.dedupe_key
            AND running.done_at IS NULL AND running.claimed_at IS NOT NULL AND running.run_at > now()
        )
        ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED
      )`,
    )
    .returning();
  return job ? { ...job, id: String(job.id) } : null;
}

/** Keeps a claim for as long again, while its work goes on. */
export async function renewClaim(db: Database, job: ClaimedJob): Promise<void> {
  await db
    .update(outbox)
    .set({ runAt: sql`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where(isHeld(job));
}

/** What is done is only counted; its addresses, texts and tokens are nobody's business any more. */
const DONE = { doneAt: sql`now()`, payload: {}, dedupeKey: null, eventIds: [] };

export async function markDone(db: Database, job: ClaimedJob): Promise<void> {
  await db
    .update(outbox)
    .set({ ...DONE, lastError: null })
    .where(isHeld(job));
}

/**
 * Lets a job that failed wait for its next try, each time longer. When another about the same thing waits by now, that
 * one does this one's work too.
 */
export async function putBack(db: Database, job: ClaimedJob, error: unknown): Promise<void> {
  const delay = Math.min(2 ** job.attempts, LONGEST_DELAY_SECONDS);
  const lastError = summariseError(error);
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.execute(sql`
      UPDATE ${outbox} AS waiting SET event_ids = waiting.event_ids || failed.event_ids
      FROM ${outbox} AS failed
      WHERE failed.id = ${job.id} AND waiting.kind = failed.kind AND waiting.dedupe_key = failed.dedupe_key
        AND waiting.done_at IS NULL AND waiting.claimed_at IS NULL`);
    const outcome = rowCount
      ? { ...DONE, lastError }
      : { claimedAt: null, runAt: sql`now() + make_interval(secs => ${delay})`, lastError };
    await tx.update(outbox).set(outcome).where(isHeld(job));
  });
}

/** Whether a job is still this worker's. One whose claim ran out is another's, who may know more by now. */
function isHeld({ id, attempts }: ClaimedJob) {
  return and(
    eq(outbox.id, BigInt(id)),
    eq(outbox.attempts, attempts),
    isNotNull(outbox.claimedAt),
    isNull(outbox.doneAt),
  );
}
