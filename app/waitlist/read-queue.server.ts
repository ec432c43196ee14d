import { and, asc, gt, isNotNull, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { createQueue, type Queue } from "./queue.ts";
import { waitlist, waitlistInvitations } from "./schema.ts";

/** Rows read at a time, so that a long list neither fills the memory nor keeps requests waiting. */
const CHUNK = 2_000;

/** A list that is read this quickly is read every time. */
const QUICK_MILLISECONDS = 250;

/** One that takes longer may be as old as this many times what it took. */
const KEPT_TIMES = 20;

/** The queue as it is now, read from the whole list. */
export async function readQueue(db: Queryable): Promise<Queue> {
  const queue = createQueue();
  // Looked up one by one: a join may be planned as reading the whole list for every chunk.
  const ticketOfReferrer = sql<string | null>`(
    SELECT referrer.ticket FROM ${waitlist} AS referrer WHERE referrer.id = waitlist.referred_by)`;
  for (let after = 0n; ; ) {
    const members = await db
      .select({
        ticket: waitlist.ticket,
        referredBy: ticketOfReferrer,
        confirmedAt: waitlist.confirmedAt,
        pickedAt: waitlistInvitations.createdAt,
      })
      .from(waitlist)
      .leftJoin(waitlistInvitations, sql`${waitlistInvitations.id} = ${waitlist.invitationId}`)
      .where(and(isNotNull(waitlist.ticket), gt(waitlist.ticket, after)))
      .orderBy(asc(waitlist.ticket))
      .limit(CHUNK);
    for (const { ticket, referredBy, confirmedAt, pickedAt } of members) {
      after = ticket ?? after;
      queue.add({
        ticket: Number(ticket),
        referredBy: referredBy === null ? null : Number(referredBy),
        confirmedAt: confirmedAt?.getTime() ?? 0,
        pickedAt: pickedAt?.getTime() ?? null,
      });
    }
    if (members.length < CHUNK) return queue;
  }
}

/** The queue for pages, which may be some seconds old when the list is long. */
export type QueueReader = () => Promise<Queue>;

declare module "../http/context.server.ts" {
  interface App {
    readWaitlist: QueueReader;
  }
}

/**
 * Reads the queue for the pages of a process. A list so long that reading it takes its time is kept, and read anew in the
 * background: a page neither waits for it nor makes the database read a million rows.
 */
export function createQueueReader(db: Database): QueueReader {
  let kept: { queue: Queue; until: number } | null = null;
  let reading: Promise<Queue> | null = null;

  async function read(): Promise<Queue> {
    const begun = performance.now();
    const queue = await readQueue(db);
    const took = performance.now() - begun;
    kept = took < QUICK_MILLISECONDS ? null : { queue, until: performance.now() + took * KEPT_TIMES };
    return queue;
  }

  function readOnce(): Promise<Queue> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  return async () => {
    if (!kept) return readOnce();
    // A failure is told to whoever reads next with nothing kept.
    if (performance.now() > kept.until) void readOnce().catch(() => {});
    return kept.queue;
  };
}
