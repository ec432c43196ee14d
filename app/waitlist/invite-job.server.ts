import { setTimeout as sleep } from "node:timers/promises";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { loadFeatureStates } from "../entitlements/features.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { hasMailJam } from "../mail/mails.server.ts";
import { defineJob, enqueue } from "../outbox/outbox.server.ts";
import { createPersonalCodes } from "../promo/random-code.server.ts";
import { noteEvent } from "../telemetry/events.ts";
import { invitationMessage } from "./messages.ts";
import { placeToken } from "./place-token.server.ts";
import { waitlist, waitlistInvitations } from "./schema.ts";

const CHUNK = 100;
/** See `hasMailJam`. */
const PAUSE_MILLISECONDS = 200;

const NOTE = "Waitlist invitation";

export const SEND_INVITATIONS = defineJob<{ invitationId: string }>(
  "send_invitations",
  ({ invitationId }) => invitationId,
);

export type Invitation = typeof waitlistInvitations.$inferSelect;

/**
 * Code, mail and `invited_at` are one transaction. Safe to interrupt; concurrent runs share the work.
 * @param isStopping whether the process ends
 */
export async function sendInvitations(
  { db, config }: { db: Database; config: Pick<Config, "authSecret" | "site"> },
  { invitationId }: { invitationId: string },
  isStopping: () => boolean,
): Promise<void> {
  const [invitation] = await db
    .select()
    .from(waitlistInvitations)
    .where(eq(waitlistInvitations.id, invitationId));
  if (!invitation) return;
  while (!(await finish(db, invitationId))) {
    if (isStopping()) {
      await enqueue(db, SEND_INVITATIONS, { invitationId });
      return;
    }
    const canGoOn = !(await hasMailJam(db));
    const written = canGoOn && (await db.transaction((tx) => writeChunk(tx, config, invitation)));
    if (!written) await sleep(PAUSE_MILLISECONDS);
  }
}

/** @returns how many were written to; 0 also while the rest is locked by other transactions */
async function writeChunk(
  tx: Queryable,
  config: Pick<Config, "authSecret" | "site">,
  { id, tier, durationMonths, expiresAt }: Invitation,
): Promise<number> {
  const members = await tx
    .select({ id: waitlist.id, email: waitlist.email })
    .from(waitlist)
    .where(isLeft(id))
    .orderBy(asc(waitlist.invitationPosition))
    .limit(CHUNK)
    // Not waiting for a member who leaves: see `lockFirst` in invite.server.ts.
    .for("no key update", { skipLocked: true });
  const terms = { tier, durationMonths, expiresAt };
  const codes = await createPersonalCodes(tx, members.length, { ...terms, note: NOTE });
  await tx.execute(sql`
    UPDATE ${waitlist} SET invited_at = now(), promo_code = given.code
    FROM unnest(${sql.param(members.map(({ id }) => id))}::text[], ${sql.param(codes)}::text[]) AS given (id, code)
    WHERE ${waitlist.id} = given.id`);
  const { site } = config;
  const features = await loadFeatureStates(tx);
  for (const [index, { id: memberId, email }] of members.entries()) {
    const recipient = { email, token: placeToken(memberId, config) };
    const code = { code: codes[index] ?? "", ...terms };
    await enqueueMail(tx, site, invitationMessage(recipient, code, site, features));
    noteEvent(tx, { event: "invited", memberId, invitationId: id });
  }
  return members.length;
}

async function finish(db: Database, id: string): Promise<boolean> {
  const left = await db.select({ id: waitlist.id }).from(waitlist).where(isLeft(id)).limit(1);
  if (left.length > 0) return false;
  await db
    .update(waitlistInvitations)
    .set({ finishedAt: sql`now()` })
    .where(and(eq(waitlistInvitations.id, id), isNull(waitlistInvitations.finishedAt)));
  return true;
}

const isLeft = (invitationId: string) =>
  and(eq(waitlist.invitationId, invitationId), isNull(waitlist.invitedAt));
