import { desc, eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { promoCodes } from "../promo/schema.ts";
import { waitlist, waitlistInvitations } from "./schema.ts";

export type Invitation = typeof waitlistInvitations.$inferSelect;

/** How far an invitation has come. */
export interface InvitationProgress extends Invitation {
  /** Who has their code, of those still on the list. */
  written: number;
  /** Who is still to be written to. */
  left: number;
  /** Who has redeemed it, of those still on the list. */
  redeemed: number;
}

/** The latest invitations, the newest first. */
export function listInvitations(db: Queryable, count: number): Promise<Invitation[]> {
  return db
    .select()
    .from(waitlistInvitations)
    .orderBy(desc(waitlistInvitations.createdAt), desc(waitlistInvitations.id))
    .limit(count);
}

/** An invitation and how far it is; `null` when there is none. */
export async function readInvitation(db: Queryable, id: string): Promise<InvitationProgress | null> {
  const [found] = await db
    .select({
      invitation: waitlistInvitations,
      written: sql<number>`count(${waitlist.promoCode})::int`,
      left: sql<number>`count(*) FILTER (WHERE ${waitlist.id} IS NOT NULL AND ${waitlist.promoCode} IS NULL)::int`,
      // Looked up one by one: a join may be planned as reading all codes.
      redeemed: sql<number>`count(*) FILTER (
        WHERE (SELECT used_count FROM ${promoCodes} WHERE code = waitlist.promo_code) > 0)::int`,
    })
    .from(waitlistInvitations)
    .leftJoin(waitlist, eq(waitlist.invitationId, waitlistInvitations.id))
    .where(eq(waitlistInvitations.id, id))
    .groupBy(waitlistInvitations.id);
  if (!found) return null;
  const { invitation, ...counts } = found;
  return { ...invitation, ...counts };
}
