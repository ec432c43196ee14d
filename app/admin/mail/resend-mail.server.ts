import { and, desc, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { recordChange } from "../../audit/record-change.server.ts";
import { user } from "../../auth/schema.ts";
import { resendLink } from "../../auth/support-actions.server.ts";
import { resendNotice } from "../../billing/notices/resend-receipt.server.ts";
import { answerMessage } from "../../contact/messages.ts";
import { contactMessages } from "../../contact/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import type { TooManyRequests } from "../../limits/rate-limit.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { ListedMail } from "../../mail/mails.server.ts";
import type { Site } from "../../ui/site.ts";
import type { Operator } from "../operator.server.ts";
import { findSample, SAMPLES } from "./samples.ts";

/** `not_kept`: its text is not stored, and cannot be written anew. */
export type MailResending = "sent" | "not_needed" | "not_kept" | "payments_off" | "stripe_away";

/** Sends a mail again, written anew because texts are not stored. Failures: 429 too many to this user. */
export async function resendMail(
  app: Pick<App, "config" | "db" | "log" | "payments">,
  operator: Operator,
  { recipient, subject }: Pick<ListedMail, "recipient" | "subject">,
): Promise<MailResending | TooManyRequests> {
  const { db, config } = app;
  const { site } = config;
  const isLike = (template: string) => findSample(template)?.write(site).subject === subject;
  if (isLike("answerMessage")) return resendAnswer(app, operator, recipient);
  const owner = await findOwner(db, recipient);
  if (!owner) return "not_kept";
  const sent = isLike("verificationMessage")
    ? await resendLink(app, operator, owner.id, "confirmation")
    : isLike("resetMessage")
      ? await resendLink(app, operator, owner.id, "new_password")
      : await resendNotice(app, operator, owner.id, (_, message) => message.subject === subject);
  return sent === "no_receipt" || sent === "no_account" ? "not_kept" : sent;
}

/** Whose mail it is, and whether it could be written again: an answer, or for an account. */
export async function readResending(
  { db, config }: Pick<App, "config" | "db">,
  { recipient, subject }: Pick<ListedMail, "recipient" | "subject">,
) {
  const owner = await findOwner(db, recipient);
  const isResendable = isResendableTo(config.site);
  return { ownerId: owner?.id ?? null, isResendable: isResendable(subject, owner !== undefined) };
}

/** The ids of those that could be written again, as `readResending` says of one. */
export async function listResendable(
  { db, config }: Pick<App, "config" | "db">,
  mails: readonly Pick<ListedMail, "id" | "recipient" | "subject">[],
): Promise<Set<string>> {
  const address = sql<string>`lower(${user.email})`;
  const owners = await db
    .select({ address })
    .from(user)
    .where(
      inArray(
        address,
        mails.map(({ recipient }) => recipient),
      ),
    );
  const owned = new Set(owners.map((owner) => owner.address));
  const isResendable = isResendableTo(config.site);
  return new Set(
    mails.flatMap(({ id, recipient, subject }) => (isResendable(subject, owned.has(recipient)) ? [id] : [])),
  );
}

/** An answer to anyone; else only to an account, and nothing of the waitlist, which has tokens and codes of its own. */
function isResendableTo(site: Site): (subject: string, hasAccount: boolean) => boolean {
  const answer = findSample("answerMessage")?.write(site).subject;
  const ofWaitlist = new Set(SAMPLES.Waitlist?.map(({ write }) => write(site).subject));
  return (subject, hasAccount) => subject === answer || (hasAccount && !ofWaitlist.has(subject));
}

async function findOwner(db: Queryable, recipient: string): Promise<{ id: string } | undefined> {
  const [owner] = await db
    .select({ id: user.id })
    .from(user)
    .where(eq(sql`lower(${user.email})`, recipient));
  return owner;
}

async function resendAnswer(
  { db, config: { site } }: Pick<App, "config" | "db">,
  operator: Operator,
  recipient: string,
): Promise<MailResending> {
  return db.transaction(async (tx) => {
    const [message] = await tx
      .select()
      .from(contactMessages)
      .where(and(eq(sql`lower(${contactMessages.email})`, recipient), isNotNull(contactMessages.answer)))
      .orderBy(desc(contactMessages.answeredAt))
      .limit(1)
      .for("update");
    if (!message?.answer) return "not_kept";
    await enqueueMail(tx, site, answerMessage(message, message.answer, site));
    await recordChange(tx, operator, {
      action: "contact_message.answer_sent_again",
      subject: `contact_message:${message.id}`,
    });
    return "sent";
  });
}
