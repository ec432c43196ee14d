import { asc, inArray, isNull } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import type { Queue } from "./queue.ts";
import { waitlist } from "./schema.ts";

/** Unconfirmed addresses are counted up to this many: nobody needs the exact number of a flood. */
const MOST_COUNTED = 10_000;

export interface WaitlistCounts {
  /** Confirmed, and not invited yet. */
  waiting: number;
  /** Invited, and still on the list. */
  invited: number;
  unconfirmed: { count: number; isMore: boolean };
}

export async function countWaitlist(db: Queryable, queue: Queue): Promise<WaitlistCounts> {
  const unconfirmed = await db
    .select({ confirmBy: waitlist.confirmBy })
    .from(waitlist)
    .where(isNull(waitlist.confirmedAt))
    // The order of an index that has nothing else in it, so that no row is read.
    .orderBy(asc(waitlist.confirmBy))
    .limit(MOST_COUNTED + 1);
  return {
    waiting: queue.size(),
    invited: queue.invited(),
    unconfirmed: {
      count: Math.min(unconfirmed.length, MOST_COUNTED),
      isMore: unconfirmed.length > MOST_COUNTED,
    },
  };
}

/** Somebody in the queue. */
export interface QueuedMember {
  id: string;
  email: string;
  name: string | null;
  /** From 1. */
  number: number;
  friends: number;
  confirmedAt: Date | null;
}

/** Those who wait at these positions, from 0. Somebody who has left since the queue was read is not among them. */
export function readQueued(db: Queryable, queue: Queue, from: number, to: number): Promise<QueuedMember[]> {
  return membersOf(db, queue, queue.slice(from, to));
}

/** Those who brought most friends, the best first, invited or not. */
export function readTopReferrers(db: Queryable, queue: Queue, count: number): Promise<QueuedMember[]> {
  return membersOf(
    db,
    queue,
    queue.topReferrers(count).map(({ ticket }) => ticket),
  );
}

async function membersOf(db: Queryable, queue: Queue, tickets: number[]): Promise<QueuedMember[]> {
  if (tickets.length === 0) return [];
  const { id, email, name, ticket, confirmedAt } = waitlist;
  const rows = await db
    .select({ id, email, name, ticket, confirmedAt })
    .from(waitlist)
    .where(inArray(ticket, tickets.map(BigInt)));
  const rowOf = new Map(rows.map((row) => [Number(row.ticket), row]));
  return tickets.flatMap((ticket) => {
    const row = rowOf.get(ticket);
    if (!row) return [];
    const { id, email, name, confirmedAt } = row;
    const [number, friends] = [queue.numberOf(ticket), queue.friendsOf(ticket)];
    return [{ id, email, name, confirmedAt, number, friends }];
  });
}
