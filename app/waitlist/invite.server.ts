import { asc, desc, eq, lt, sql } from "drizzle-orm";
import { z } from "zod";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { loadFeatureStates } from "../entitlements/features.server.ts";
import { openness } from "../entitlements/features.ts";
import { TIERS } from "../entitlements/tiers.ts";
import { type Failure, failure } from "../http/errors.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { promoCodes } from "../promo/schema.ts";
import { type Invitation, SEND_INVITATIONS } from "./invite-job.server.ts";
import { INVITE_ANYWAY, MOST_INVITED } from "./limits.ts";
import { IS_WAITING } from "./order.server.ts";
import { waitlist, waitlistInvitations } from "./schema.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

const wholeNumber = (most: number) =>
  z.coerce
    .number<string>({ error: "Enter a number" })
    .int("Enter a whole number")
    .min(1, "Enter a number from 1")
    .max(most, { error: `Enter a number up to ${most.toLocaleString("en-US")}` });

/** Numbers are text, from a command line or a form. */
export const inviteForm = z.object({
  count: wholeNumber(MOST_INVITED),
  tier: z.enum(TIERS, { error: `Choose ${TIERS.join(" or ")}` }),
  months: wholeNumber(1200),
  /** Of the codes, in UTC. Absent: no end. */
  last_day: z.iso
    .date({ error: "Enter a day like 2027-01-31" })
    .refine((day) => endOf(day) > new Date(), { error: "Enter a day that is not over" })
    .optional(),
  /** Needed while nothing is open: `INVITE_ANYWAY`. */
  confirm: z.string().trim().toLowerCase().max(100).optional(),
});

export type InviteInput = z.output<typeof inviteForm>;

export function endOf(day: string): Date {
  return new Date(Date.parse(day) + DAY_MILLISECONDS);
}

const PICK_LOCK = 7_316_002;

const NOTHING_IS_OPEN = `No feature is open yet, so nobody was invited. Type “${INVITE_ANYWAY}” to invite them anyway.`;
const NOBODY_WAITS = "Nobody is waiting, so nobody was invited.";
const MAIL_IS_OFF = "The site can’t send mail right now, so nobody was invited.";

/**
 * Picks the first on the list, and leaves the rest to a job. A place locked by another transaction is passed over and stays first.
 * @param id chosen before the operator pressed, so that pressing twice invites once
 * @returns how many were picked; a failure when the list is empty, mail is off, or nothing is open and that is not confirmed
 */
export async function inviteNext(
  { db, config }: { db: Database; config: Pick<Config, "mail"> },
  actor: Actor,
  id: string,
  { count, tier, months, last_day: lastDay, confirm }: InviteInput,
): Promise<{ ok: true; size: number } | Failure> {
  if (config.mail.mode === "off") return failure(503, MAIL_IS_OFF);
  return db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${PICK_LOCK})`);
    const [earlier] = await tx
      .select({ size: waitlistInvitations.size })
      .from(waitlistInvitations)
      .where(eq(waitlistInvitations.id, id));
    if (earlier) return { ok: true, ...earlier };

    // Passes over locked ones: waiting would be a deadlock with a member who leaves, whose friends' rows change as well.
    const first = await tx
      .select({ id: waitlist.id })
      .from(waitlist)
      .where(IS_WAITING)
      .orderBy(asc(waitlist.queuePosition))
      .limit(count)
      .for("no key update", { skipLocked: true });
    const picked = first.map((member) => member.id);
    if (picked.length === 0) return failure(409, NOBODY_WAITS);
    if (confirm !== INVITE_ANYWAY && openness(await loadFeatureStates(tx)) === "none")
      return failure(409, NOTHING_IS_OPEN);
    const terms = { tier, durationMonths: months, expiresAt: lastDay ? endOf(lastDay) : null };
    await tx.insert(waitlistInvitations).values({ id, size: picked.length, ...terms });
    await tx.execute(sql`
      UPDATE ${waitlist} SET invitation_id = ${id}, invitation_position = position
      FROM unnest(${sql.param(picked)}::text[]) WITH ORDINALITY AS picked (id, position)
      WHERE ${waitlist.id} = picked.id`);
    await recordChange(tx, actor, {
      action: "waitlist.invited",
      subject: `waitlist_invitation:${id}`,
      after: { people: picked.length, ...terms },
    });
    await enqueue(tx, SEND_INVITATIONS, { invitationId: id });
    return { ok: true, size: picked.length };
  });
}

export function listInvitations(db: Queryable, count: number): Promise<Invitation[]> {
  return db
    .select()
    .from(waitlistInvitations)
    .orderBy(desc(waitlistInvitations.createdAt), desc(waitlistInvitations.id))
    .limit(count);
}

/** With how many were written to, are left, and have redeemed their code and are still on the list. */
export async function readInvitation(db: Queryable, id: string) {
  const [found] = await db
    .select({
      invitation: waitlistInvitations,
      written: sql<number>`count(${waitlist.promoCode})::int`,
      left: sql<number>`count(*) FILTER (WHERE ${waitlist.id} IS NOT NULL AND ${waitlist.promoCode} IS NULL)::int`,
      // A subquery per row: a join may be planned as reading all codes.
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

/** The last one before it; `null`: it was the first. */
export async function readInvitationBefore(db: Queryable, { createdAt }: Pick<Invitation, "createdAt">) {
  const [before] = await db
    .select({ id: waitlistInvitations.id })
    .from(waitlistInvitations)
    .where(lt(waitlistInvitations.createdAt, createdAt))
    .orderBy(desc(waitlistInvitations.createdAt))
    .limit(1);
  return before ? readInvitation(db, before.id) : null;
}
