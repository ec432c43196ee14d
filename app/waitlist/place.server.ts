import { and, asc, eq, isNotNull } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { queueOrder } from "./queue.ts";
import { waitlist } from "./schema.ts";

export interface Place {
  /** From 1. */
  number: number;
  /** How many friends joined by this member's link and confirmed. */
  friends: number;
  referralCode: string;
}

/** The confirmed place with this token, or `null`. Its number is derived from the whole list, never stored. */
export async function findPlace(db: Queryable, token: string): Promise<Place | null> {
  const [member] = await db
    .select({ id: waitlist.id, referralCode: waitlist.referralCode })
    .from(waitlist)
    .where(and(eq(waitlist.token, token), isNotNull(waitlist.ticket)));
  if (!member) return null;
  const confirmed = await db
    .select({ id: waitlist.id, referredBy: waitlist.referredBy })
    .from(waitlist)
    .where(isNotNull(waitlist.ticket))
    .orderBy(asc(waitlist.ticket));
  return {
    number: queueOrder(confirmed).indexOf(member.id) + 1,
    friends: confirmed.filter(({ referredBy }) => referredBy === member.id).length,
    referralCode: member.referralCode,
  };
}
