import { asc, eq, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { FRIENDS, NUMBER, SIZE } from "./order.server.ts";
import { waitlist, waitlistReferrers, waitlistSlots, waitlistTotals } from "./schema.ts";

/** Unconfirmed addresses are counted up to this many: nobody needs the exact number of a flood. */
const MOST_COUNTED = 10_000;

export interface WaitlistCounts {
  /** Confirmed, and not invited yet. */
  waiting: number;
  /** Invited, and still on the list. */
  invited: number;
  unconfirmed: { count: number; isMore: boolean };
}

export async function countWaitlist(db: Queryable): Promise<WaitlistCounts> {
  const [totals] = await db.select({ waiting: SIZE, invited: waitlistTotals.invited }).from(waitlistTotals);
  const unconfirmed = await db
    .select({ confirmBy: waitlist.confirmBy })
    .from(waitlist)
    .where(isNull(waitlist.confirmedAt))
    // The order of an index that has nothing else in it, so that no row is read.
    .orderBy(asc(waitlist.confirmBy))
    .limit(MOST_COUNTED + 1);
  return {
    waiting: totals?.waiting ?? 0,
    invited: totals?.invited ?? 0,
    unconfirmed: {
      count: Math.min(unconfirmed.length, MOST_COUNTED),
      isMore: unconfirmed.length > MOST_COUNTED,
    },
  };
}

/** Somebody on the list. */
export interface QueuedMember {
  id: string;
  email: string;
  name: string | null;
  /** From 1; `null` for somebody who was invited. */
  number: number | null;
  friends: number;
  confirmedAt: Date | null;
}

const { id, email, name, confirmedAt } = waitlist;
const MEMBER = { id, email, name, confirmedAt, friends: FRIENDS };

/**
 * Those who wait at these positions, from 0: the first ones, because it reads all before them.
 *
 * @param to not included; nobody is read when it is not beyond `from`
 */
export async function readQueued(db: Queryable, from: number, to: number): Promise<QueuedMember[]> {
  // Drizzle leaves a negative limit out, which would read everybody.
  if (to <= from) return [];
  const members = await db
    .select(MEMBER)
    .from(waitlistSlots)
    .innerJoin(waitlist, eq(waitlist.ticket, waitlistSlots.ticket))
    .orderBy(asc(waitlistSlots.slot))
    .offset(from)
    .limit(to - from);
  return members.map((member, index) => ({ ...member, number: from + index + 1 }));
}

/** Those who brought most friends, the best first, invited or not. */
export function readTopReferrers(db: Queryable, count: number): Promise<QueuedMember[]> {
  return db
    .select({ ...MEMBER, number: NUMBER })
    .from(waitlistReferrers)
    .innerJoin(waitlist, eq(waitlist.ticket, waitlistReferrers.ticket))
    .orderBy(sql`${waitlistReferrers.friends} DESC NULLS LAST`, asc(waitlistReferrers.ticket))
    .limit(count);
}
