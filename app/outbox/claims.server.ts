import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { summarizeError } from "../log/log.server.ts";
import type { Job } from "./outbox.server.ts";
import { outbox } from "./schema.ts";

/** Unless renewed. The jobs of a killed process wait this long. */
const CLAIM_SECONDS = 25;
/** Work resumes within minutes even after a long outage. */
const MAX_DELAY_SECONDS = 5 * 60;

/** `attempts` grows with every claim and so identifies it. */
export interface ClaimedJob extends Job {
  kind: string;
  payload: unknown;
  attempts: number;
}

/** Skips jobs while another with the same key runs; of two due ones takes the one that a dead process had claimed. */
export async function claimJobs(db: Database, kinds: string[], most: number): Promise<ClaimedJob[]> {
  // Materialized once: in the condition of an UPDATE, the limit could apply again for every row.
  const { rows } = await db.execute<ClaimedRow>(sql`
    WITH due AS MATERIALIZED (
      SELECT id FROM ${outbox} AS due
      WHERE done_at IS NULL AND run_at <= now() AND kind IN ${kinds}
        AND NOT EXISTS (
          SELECT FROM ${outbox} AS running
          WHERE running.kind = due.kind AND running.dedupe_key = due.dedupe_key AND running.id <> due.id
            AND running.done_at IS NULL AND running.claimed_at IS NOT NULL
            AND (running.run_at > now() OR due.claimed_at IS NULL OR running.id < due.id)
        )
      ORDER BY run_at LIMIT ${most} FOR UPDATE SKIP LOCKED
    )
    UPDATE ${outbox} SET attempts = attempts + 1, claimed_at = now(),
      run_at = now() + make_interval(secs => ${CLAIM_SECONDS})
    FROM due WHERE ${outbox.id} = due.id
    RETURNING ${outbox.id}::text AS id, kind, payload, attempts, event_ids AS "eventIds", created_at AS "createdAt"`);
  return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }));
}

type ClaimedRow = Omit<ClaimedJob, "createdAt"> & { createdAt: string | Date };

export async function renewClaim(db: Database, job: ClaimedJob): Promise<void> {
  await db
    .update(outbox)
    .set({ runAt: sql`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where(isClaimed(job));
}

/** Clears addresses, texts and tokens; only the row is kept. */
const DONE = { doneAt: sql`now()`, payload: {}, dedupeKey: null, eventIds: [] };

export async function markDone(db: Database, job: ClaimedJob): Promise<void> {
  await db
    .update(outbox)
    .set({ ...DONE, lastError: null })
    .where(isClaimed(job));
}

export async function rescheduleJob(db: Database, job: ClaimedJob, error: unknown): Promise<void> {
  const delaySeconds = Math.min(2 ** job.attempts, MAX_DELAY_SECONDS);
  await putBack(db, job, { delaySeconds, lastError: summarizeError(error) });
}

/** For a process that stops: another one may take the job at once. */
export async function giveBack(db: Database, job: ClaimedJob): Promise<void> {
  await putBack(db, job, { delaySeconds: 0, lastError: "the process that ran it was ended" });
}

/** Merged into a job with the same key that waits by now. */
async function putBack(
  db: Database,
  job: ClaimedJob,
  { delaySeconds, lastError }: { delaySeconds: number; lastError: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.execute(sql`
      UPDATE ${outbox} AS waiting SET event_ids = waiting.event_ids || failed.event_ids
      FROM ${outbox} AS failed
      WHERE failed.id = ${job.id} AND waiting.kind = failed.kind AND waiting.dedupe_key = failed.dedupe_key
        AND waiting.done_at IS NULL AND waiting.claimed_at IS NULL`);
    const outcome = rowCount
      ? { ...DONE, lastError }
      : { claimedAt: null, runAt: sql`now() + make_interval(secs => ${delaySeconds})`, lastError };
    await tx.update(outbox).set(outcome).where(isClaimed(job));
  });
}

/** Once the claim has expired, another worker may have changed the job. */
function isClaimed({ id, attempts }: ClaimedJob) {
  return and(
    eq(outbox.id, BigInt(id)),
    eq(outbox.attempts, attempts),
    isNotNull(outbox.claimedAt),
    isNull(outbox.doneAt),
  );
}
