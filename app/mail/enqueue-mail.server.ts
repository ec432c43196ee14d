import type { Queryable } from "../db/client.server.ts";
import { defineJob, enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import type { Mail } from "./mail.server.ts";
import type { Message } from "./message.ts";
import { toPlainText } from "./plain-text.ts";
import { mails } from "./schema.ts";

/**
 * A mail in the outbox. Its HTML part is drawn when it is sent, so that commands, which cannot draw, may queue mail too;
 * those with one were queued by the version before.
 */
export type QueuedMail = (Message & Pick<Mail, "text">) | Mail;

export const SEND_MAIL = defineJob<QueuedMail>("send_mail");

/**
 * Queues a mail within the caller's transaction: it is sent if, and only if, that commits. The operator's list of mails gets
 * a row with it.
 *
 * @param isListed false for the last mail to an address that is not to be kept
 */
export async function enqueueMail(
  tx: Queryable,
  site: Site,
  message: Message,
  { isListed = true } = {},
): Promise<void> {
  const id = await enqueue(tx, SEND_MAIL, { ...message, text: toPlainText(site, message) });
  if (!isListed) return;
  await tx.insert(mails).values({ id, recipient: message.to.toLowerCase(), subject: message.subject });
}
