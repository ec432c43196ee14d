import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { outbox } from "./schema.ts";

/** Background work that must happen after a commit, declared by the feature that does it. */
export interface JobKind<Payload extends object> {
  /** Stored in the rows: a new name needs a migration of the waiting jobs. */
  name: string;
  /** At most one job with the same key waits at a time; `null`: jobs are never merged. */
  dedupeKey: (payload: Payload) => string | null;
}

export interface Job {
  id: string;
  createdAt: Date;
  /** The Stripe events that are handled once this job is done. */
  eventIds: string[];
}

export interface JobHandler {
  kind: string;
  run(payload: unknown, job: Job): Promise<unknown>;
}

export function defineJob<Payload extends object>(
  name: string,
  dedupeKey: JobKind<Payload>["dedupeKey"] = () => null,
): JobKind<Payload> {
  return { name, dedupeKey };
}

/** @param run must be idempotent, because a job may run twice */
export function handleJob<Payload extends object>(
  kind: JobKind<Payload>,
  run: (payload: Payload, job: Job) => Promise<unknown>,
): JobHandler {
  // Payloads are written by `enqueue` only, which takes those of the kind.
  return { kind: kind.name, run: (payload, job) => run(payload as Payload, job) };
}

/**
 * Writes a job within the caller's transaction; a waiting job with the same key becomes due now instead. No change can be missed: the
 * waiting row stays locked until the caller commits, so a worker that claims it afterwards sees what was written; a claimed job no
 * longer counts as waiting, so a new one is inserted.
 * @param options.eventId the Stripe event that caused the job
 * @param options.delaySeconds for a job that is only needed if the process dies before doing the work itself
 * @returns the id of the job, or of the one that was waiting
 */
export async function enqueue<Payload extends object>(
  tx: Queryable,
  { name: kind, dedupeKey }: JobKind<Payload>,
  payload: Payload,
  { eventId, delaySeconds = 0 }: { eventId?: string; delaySeconds?: number } = {},
): Promise<bigint> {
  const runAt = sql`now() + make_interval(secs => ${delaySeconds})`;
  const [job] = await tx
    .insert(outbox)
    .values({ kind, payload, runAt, dedupeKey: dedupeKey(payload), eventIds: eventId ? [eventId] : [] })
    .onConflictDoUpdate({
      target: [outbox.kind, outbox.dedupeKey],
      targetWhere: sql`done_at IS NULL AND claimed_at IS NULL`,
      set: {
        runAt: sql`least(${outbox.runAt}, excluded.run_at)`,
        eventIds: sql`CASE WHEN ${outbox.eventIds} @> excluded.event_ids THEN ${outbox.eventIds}
          ELSE ${outbox.eventIds} || excluded.event_ids END`,
      },
    })
    .returning({ id: outbox.id });
  if (!job) throw new Error("a job was neither written nor found");
  return job.id;
}
