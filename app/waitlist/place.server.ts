import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { isRedeemable } from "../promo/rules.ts";
import { promoCodes } from "../promo/schema.ts";
import { FRIEND_COUNT, readNumbers } from "./order.server.ts";
import type { CodeTerms } from "./rules.ts";
import { waitlist, waitlistInvitations } from "./schema.ts";

export interface WaitingPlace {
  number: number;
  friends: number;
  referralCode: string;
}

export interface InvitedPlace {
  terms: CodeTerms;
  /** `null` until it is written. */
  code: string | null;
  /** `ended`: it can no longer be redeemed. */
  state: "good" | "used" | "ended";
}

export type Place = ({ isInvited: false } & WaitingPlace) | ({ isInvited: true } & InvitedPlace);

/** Its number counts only members who are not invited yet. */
export async function findPlace(db: Queryable, id: string): Promise<Place | null> {
  const [member] = await db
    .select({
      friends: FRIEND_COUNT,
      referralCode: waitlist.referralCode,
      invitation: waitlistInvitations,
      promo: promoCodes,
      now: sql<string>`now()`,
    })
    .from(waitlist)
    .leftJoin(waitlistInvitations, eq(waitlistInvitations.id, waitlist.invitationId))
    .leftJoin(promoCodes, eq(promoCodes.code, waitlist.promoCode))
    .where(and(eq(waitlist.id, id), isNotNull(waitlist.ticket)));
  if (!member) return null;
  const { friends, referralCode, invitation, promo, now } = member;
  if (!invitation) {
    const number = (await readNumbers(db, [id])).get(id);
    return { isInvited: false, number: number ?? 0, friends, referralCode };
  }
  const { tier, durationMonths } = invitation;
  // The operator may have changed the code's end since.
  const terms = { tier, durationMonths, expiresAt: (promo ?? invitation).expiresAt };
  if (!promo) return { isInvited: true, terms, code: null, state: "good" };
  const isUsed = promo.usedCount > 0;
  const state = isUsed ? "used" : isRedeemable(promo, new Date(now)) ? "good" : "ended";
  return { isInvited: true, terms, code: promo.code, state };
}
