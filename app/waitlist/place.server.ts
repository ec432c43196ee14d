import { and, asc, eq, isNotNull } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { queueOrder } from "./queue.ts";
import { waitlist } from "./schema.ts";

export interface Place {
  /** From 1. */
  number: number;
  /** How many came by this one's link and have confirmed. */
  friends: number;
  referralCode: string;
}

/** The place of whoever has confirmed with this token; `null` for anybody else. Derived from the whole list, never stored. */
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
