import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { outbox } from "./schema.ts";

/** A kind of work that must happen after a commit, declared by the feature that does it. */
export interface JobKind<Payload extends object> {
  /** As it is written in the rows: a new name needs a migration of the jobs that wait. */
  name: string;
  /** Of several jobs about the same thing one at most waits; `null`: each does work of its own. */
  dedupeKey: (payload: Payload) => string | null;
}

/** What a handler is told beside the payload. */
export interface Job {
  id: string;
  createdAt: Date;
  /** The Stripe events that are handled once this job is done. */
  eventIds: string[];
}

/** What a worker does with the jobs of one kind. */
export interface JobHandler {
  kind: string;
  run(payload: unknown, job: Job): Promise<void>;
}

export function defineJob<Payload extends object>(
  name: string,
  dedupeKey: JobKind<Payload>["dedupeKey"] = () => null,
): JobKind<Payload> {
  return { name, dedupeKey };
}

/** @param run safe to repeat, because a job may run twice */
export function handleJob<Payload extends object>(
  kind: JobKind<Payload>,
  run: (payload: Payload, job: Job) => Promise<void>,
): JobHandler {
  // Only `enqueue` writes payloads, and it was given the kind's own.
  return { kind: kind.name, run: (payload, job) => run(payload as Payload, job) };
}

/**
 * Writes a job in the caller's own transaction: it exists exactly when the reason for it does. When one about the same
 * thing waits already, that one is due now and does it. Nothing is lost between the two: the waiting row stays locked
 * until the caller commits, so a worker claims it afterwards and sees what was written; and one that a worker has
 * claimed before does not wait any more, so another is written, which runs after it.
 *
 * @param eventId the Stripe event that asks for it
 */
export async function enqueue<Payload extends object>(
  tx: Queryable,
  { name: kind, dedupeKey }: JobKind<Payload>,
  payload: Payload,
  eventId?: string,
): Promise<void> {
  await tx
    .insert(outbox)
    .values({ kind, payload, dedupeKey: dedupeKey(payload), eventIds: eventId ? [eventId] : [] })
    .onConflictDoUpdate({
      target: [outbox.kind, outbox.dedupeKey],
      targetWhere: sql`done_at IS NULL AND claimed_at IS NULL`,
      set: {
        runAt: sql`least(${outbox.runAt}, now())`,
        eventIds: sql`CASE WHEN ${outbox.eventIds} @> excluded.event_ids THEN ${outbox.eventIds}
          ELSE ${outbox.eventIds} || excluded.event_ids END`,
      },
    });
}
