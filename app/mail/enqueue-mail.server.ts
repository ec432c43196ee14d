import type { Queryable } from "../db/client.server.ts";
import { defineJob, enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import type { Mail } from "./mail.server.ts";
import type { Message } from "./message.ts";
import { toPlainText } from "./plain-text.ts";
import { mails } from "./schema.ts";

/** The HTML is rendered when it is sent, because commands cannot; mails with HTML are from the previous version. */
export type QueuedMail = (Message & Pick<Mail, "text">) | Mail;

export const SEND_MAIL = defineJob<QueuedMail>("send_mail");

/**
 * Within the caller's transaction.
 * @param isListed false for the last mail to an address that is not to be kept
 * @param about what operators can have it written anew from (`mails.about`)
 */
export async function enqueueMail(
  tx: Queryable,
  site: Site,
  message: Message,
  { isListed = true, about }: { isListed?: boolean; about?: string } = {},
): Promise<void> {
  const id = await enqueue(tx, SEND_MAIL, { ...message, text: toPlainText(site, message) });
  if (!isListed) return;
  await tx.insert(mails).values({ id, recipient: message.to.toLowerCase(), subject: message.subject, about });
}
