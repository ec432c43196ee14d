import { randomInt, randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { z } from "zod";
import { mailboxSql } from "../auth/mailbox.ts";
import { emailAddress, NAME_TOO_LONG, personName } from "../auth/person-fields.server.ts";
import type { Config } from "../config/config.server.ts";
import type { WaitlistWidget } from "../config/waitlist-widget.ts";
import type { Database } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { foldCode, isVisible, withoutDirectionMarks } from "../ui/typed-text.ts";
import { alreadyOnListMessage, confirmMessage } from "./messages.ts";
import { placeToken } from "./place-token.server.ts";
import { DAYS_TO_CONFIRM, MAILS_A_DAY } from "./rules.ts";
import { waitlist } from "./schema.ts";

export type WaitlistMode = { kind: "form" } | ({ kind: "widget" } & WaitlistWidget) | { kind: "closed" };

/** Closed without a mail server, because places are confirmed by email. */
export function waitlistMode({ config, mailer }: Pick<App, "config" | "mailer">): WaitlistMode {
  if (config.waitlistWidget) return { kind: "widget", ...config.waitlistWidget };
  return mailer.isOn ? { kind: "form" } : { kind: "closed" };
}

const USES_TOO_LONG = "Use at most 200 characters";

/** In UTF-16 code units, before trimming. */
const FIELD_MAX_LENGTH = 1000;

const blankIsAbsent = (tooLong: string) =>
  z
    .string()
    .max(FIELD_MAX_LENGTH, { error: tooLong, abort: true })
    .trim()
    .transform((text) => text || undefined);

/** An invalid code is ignored, so that a mistyped link does not keep its visitor from joining. */
export const referralCode = z
  .string()
  .max(100)
  .transform((code) => foldCode(code).toLowerCase())
  .pipe(z.string().regex(/^[2-9a-z]{10}$/))
  .optional()
  .catch(undefined);

export const joinForm = z.object({
  email: emailAddress,
  name: blankIsAbsent(NAME_TOO_LONG).pipe(personName.optional()).optional(),
  uses_today: blankIsAbsent(USES_TOO_LONG)
    .pipe(
      z
        .string()
        .max(200, USES_TOO_LONG)
        .regex(/^\P{Cc}*$/u, "Some characters here can’t be saved. Please retype it.")
        .transform((text) => (isVisible(text) ? withoutDirectionMarks(text) : undefined))
        .optional(),
    )
    .optional(),
  ref: referralCode,
});

const NO_MAIL_FOR_A_DAY = sql`${waitlist.sentAt} <= now() - interval '1 day'`;

/** The day restarts with each mail, so that no 24 hours have more than MAILS_A_DAY. */
export const COUNT_MAIL: { sends: SQL; sentAt: SQL } = {
  sends: sql`CASE WHEN ${NO_MAIL_FOR_A_DAY} THEN 1 ELSE least(${waitlist.sends} + 1, ${MAILS_A_DAY}::int) END`,
  sentAt: sql`now()`,
};

/**
 * Adds an address, unconfirmed, and mails it; one that is on the list gets another mail. New, waiting and confirmed addresses run the
 * same two statements, so the response does not reveal which.
 */
export async function joinWaitlist(
  db: Database,
  config: Pick<Config, "authSecret" | "site">,
  input: z.output<typeof joinForm>,
): Promise<void> {
  const email = input.email.toLowerCase();
  const mailbox = mailboxSql(sql`${email}::text`);
  await db.transaction(async (tx) => {
    const [member] = await tx
      .insert(waitlist)
      .values({
        id: randomUUID(),
        email,
        name: input.name,
        usesToday: input.uses_today,
        referralCode: createReferralCode(),
        // Locked, so that a referrer who leaves concurrently gives NULL rather than a foreign key violation. Other spellings of one
        // mailbox are one friend, and the referrer's own are none.
        referredBy: sql`(
          SELECT referrer.id FROM ${waitlist} AS referrer
          WHERE referral_code = ${input.ref ?? null}::text AND confirmed_at IS NOT NULL
            AND ${mailboxSql(sql`referrer.email`)} <> ${mailbox}
            AND NOT EXISTS (
              SELECT FROM ${waitlist} AS friend WHERE friend.referred_by = referrer.id AND friend.email <> ${email}::text
                AND ${mailboxSql(sql`friend.email`)} = ${mailbox}
            )
          FOR KEY SHARE
        )`,
        confirmBy: sql`now() + make_interval(days => ${DAYS_TO_CONFIRM}::int)`,
      })
      .onConflictDoUpdate({
        target: waitlist.email,
        // A form for a confirmed place may be a stranger's.
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
          ...COUNT_MAIL,
        },
        setWhere: sql`${waitlist.sends} < ${MAILS_A_DAY}::int OR ${NO_MAIL_FOR_A_DAY}`,
      })
      .returning({
        id: waitlist.id,
        email: waitlist.email,
        isConfirmed: sql<boolean>`${waitlist.confirmedAt} IS NOT NULL`,
      });
    if (!member) return;
    const { site } = config;
    const recipient = { email: member.email, token: placeToken(member.id, config) };
    await enqueueMail(
      tx,
      site,
      (member.isConfirmed ? alreadyOnListMessage : confirmMessage)(recipient, site),
    );
  });
}

function whileUnconfirmed(value: SQL, otherwise: AnyPgColumn): SQL {
  return sql`CASE WHEN ${waitlist.confirmedAt} IS NULL THEN ${value} ELSE ${otherwise} END`;
}

/** Without characters that are easily confused: 0 and o; 1, i and l. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const REFERRAL_CODE_LENGTH = 10;

/** One of 31¹⁰, too many to guess. */
export function createReferralCode(): string {
  return Array.from({ length: REFERRAL_CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}
