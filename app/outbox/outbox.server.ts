import { sql } from "drizzle-orm";
import type { AccountNotice } from "../auth/reset-password.server.ts";
import type { Queryable } from "../db/client.server.ts";
import type { Mail } from "../mail/mail.server.ts";
import { outbox } from "./schema.ts";

/** Work that must happen after a commit, by what it needs. A new kind gets its handler in app.server.ts. */
export interface Jobs {
  sync_customer: { stripeCustomerId: string };
  check_attempt: { attemptId: string };
  update_customer: { userId: string };
  delete_customer: { stripeCustomerId: string };
  close_attempt: { attemptId: string };
  sync_catalogue: Record<string, never>;
  send_mail: Mail;
  notice_owner: { notice: AccountNotice; email: string };
}

export type JobKind = keyof Jobs;

export type JobHandlers = { [Kind in JobKind]: (payload: Jobs[Kind], job: Job) => Promise<void> };

/** What a handler is told beside the payload. */
export interface Job {
  id: string;
  createdAt: Date;
  /** The Stripe events that are handled once this job is done. */
  eventIds: string[];
}

/**
 * What a job is about. Jobs of one kind about the same thing do the same work, so one at most waits; `null`: each does
 * work of its own.
 */
const DEDUPE_KEYS: { [Kind in JobKind]: (payload: Jobs[Kind]) => string | null } = {
  sync_customer: ({ stripeCustomerId }) => stripeCustomerId,
  check_attempt: ({ attemptId }) => attemptId,
  update_customer: ({ userId }) => userId,
  delete_customer: ({ stripeCustomerId }) => stripeCustomerId,
  close_attempt: ({ attemptId }) => attemptId,
  sync_catalogue: () => "catalogue",
  send_mail: () => null,
  notice_owner: () => null,
};

/**
 * Writes a job in the caller's own transaction: it exists exactly when the reason for it does. When one about the same
 * thing waits already, that one is due now and does it. Nothing is lost between the two: the waiting row stays locked
 * until the caller commits, so a worker claims it afterwards and sees what was written; and one that a worker has
 * claimed before does not wait any more, so another is written, which runs after it.
 *
 * @param eventId the Stripe event that asks for it
 */
export async function enqueue<Kind extends JobKind>(
  tx: Queryable,
  kind: Kind,
  payload: Jobs[Kind],
  eventId?: string,
): Promise<void> {
  await tx
    .insert(outbox)
    .values({ kind, payload, dedupeKey: DEDUPE_KEYS[kind](payload), eventIds: eventId ? [eventId] : [] })
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
