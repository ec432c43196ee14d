import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { Database } from "../db/client.server.ts";
import { createSecretToken } from "../http/secret-token.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { createReferralCode } from "./codes.server.ts";
import type { joinForm } from "./join-form-schema.ts";
import { alreadyOnListMessage, confirmMessage } from "./messages.ts";
import { DAYS_TO_CONFIRM, MAILS_A_DAY } from "./rules.ts";
import { waitlist } from "./schema.ts";

const A_DAY_WITHOUT_MAIL = sql`${waitlist.sentAt} <= now() - interval '1 day'`;

/** One mail more. Counting from the latest, not the first, leaves no day into which two days' mails fall. */
export const ONE_MAIL_MORE: { sends: SQL; sentAt: SQL } = {
  sends: sql`CASE WHEN ${A_DAY_WITHOUT_MAIL} THEN 1 ELSE least(${waitlist.sends} + 1, ${MAILS_A_DAY}::int) END`,
  sentAt: sql`now()`,
};

/**
 * Puts an address on the list, unconfirmed, and writes it a mail; or writes it what it already has. Whoever asks learns
 * nothing: a new address, one that waits and one that is confirmed cost the same two statements. Past the day's
 * mails, of which only whoever asked for them can know, the second is left out.
 */
export async function joinWaitlist(
  db: Database,
  site: Site,
  asked: z.output<typeof joinForm>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [member] = await tx
      .insert(waitlist)
      .values({
        id: randomUUID(),
        email: asked.email.toLowerCase(),
        name: asked.name,
        usesToday: asked.uses_today,
        token: createSecretToken(),
        referralCode: createReferralCode(),
        // Locked, so that one who leaves at this moment is nobody rather than an error.
        referredBy: sql`(
          SELECT id FROM ${waitlist} WHERE referral_code = ${asked.ref ?? null}::text AND confirmed_at IS NOT NULL
          FOR KEY SHARE
        )`,
        confirmBy: sql`now() + make_interval(days => ${DAYS_TO_CONFIRM}::int)`,
      })
      .onConflictDoUpdate({
        target: waitlist.email,
        // Once confirmed, what the form says is a stranger's word.
        set: {
          name: whileUnconfirmed(sql`coalesce(excluded.name, ${waitlist.name})`, waitlist.name),
          usesToday: whileUnconfirmed(
            sql`coalesce(excluded.uses_today, ${waitlist.usesToday})`,
            waitlist.usesToday,
          ),
          referredBy: whileUnconfirmed(
            sql`coalesce(${waitlist.referredBy}, excluded.referred_by)`,
            waitlist.referredBy,
          ),
          confirmBy: sql`excluded.confirm_by`,
          ...ONE_MAIL_MORE,
        },
        setWhere: sql`${waitlist.sends} < ${MAILS_A_DAY}::int OR ${A_DAY_WITHOUT_MAIL}`,
      })
      .returning({
        email: waitlist.email,
        token: waitlist.token,
        isConfirmed: sql<boolean>`${waitlist.confirmedAt} IS NOT NULL`,
      });
    if (!member) return;
    await enqueueMail(tx, site, (member.isConfirmed ? alreadyOnListMessage : confirmMessage)(member, site));
  });
}

function whileUnconfirmed(value: SQL, otherwise: AnyPgColumn): SQL {
  return sql`CASE WHEN ${waitlist.confirmedAt} IS NULL THEN ${value} ELSE ${otherwise} END`;
}
