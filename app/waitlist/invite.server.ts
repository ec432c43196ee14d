import { asc, eq, isNull, sql } from "drizzle-orm";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { endOf, type InviteInput } from "./invite-form-schema.server.ts";
import { SEND_INVITATIONS } from "./invite-job.server.ts";
import { waitlist, waitlistInvitations, waitlistSlots } from "./schema.ts";

/** The key of the lock that lets one operator pick at a time. */
const PICK_LOCK = 7_316_002;

const NOBODY_WAITS = "Nobody is waiting, so nobody was invited.";
const MAIL_IS_OFF = "The site can’t send mail right now, so nobody was invited.";

/**
 * Invites those who are first on the list: picks them, in the order of the list, and leaves the rest to a job. Fewer are
 * picked when fewer wait. Somebody whose place is being changed at this very moment is passed over and stays first.
 *
 * @param id chosen before the operator pressed, so that pressing twice invites once
 * @returns how many were picked; a failure when nobody waits, or no mail can be sent
 */
export async function inviteNext(
  { db, config }: { db: Database; config: Pick<Config, "mail"> },
  actor: Actor,
  id: string,
  { count, tier, months, last_day: lastDay }: InviteInput,
): Promise<{ ok: true; size: number } | Failure> {
  if (config.mail.mode === "off") return failure(503, MAIL_IS_OFF);
  return db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${PICK_LOCK})`);
    const [earlier] = await tx
      .select({ size: waitlistInvitations.size })
      .from(waitlistInvitations)
      .where(eq(waitlistInvitations.id, id));
    if (earlier) return { ok: true, ...earlier };

    const picked = await lockFirst(tx, count);
    if (picked.length === 0) return failure(409, NOBODY_WAITS);
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

/**
 * Locks the first members of the queue. Never waits for a locked one: that would be a deadlock with a member who leaves,
 * whose friends' rows change as well.
 *
 * @returns their ids in order
 */
async function lockFirst(tx: Queryable, count: number): Promise<string[]> {
  const picked = await tx
    .select({ id: waitlist.id })
    .from(waitlistSlots)
    .innerJoin(waitlist, eq(waitlist.ticket, waitlistSlots.ticket))
    .where(isNull(waitlist.invitationId))
    .orderBy(asc(waitlistSlots.slot))
    .limit(count)
    .for("no key update", { of: waitlist, skipLocked: true });
  return picked.map(({ id }) => id);
}
