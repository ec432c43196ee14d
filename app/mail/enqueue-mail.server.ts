import type { Queryable } from "../db/client.server.ts";
import { defineJob, enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import { toHtml } from "./email-template.server.tsx";
import type { Mail } from "./mail.server.ts";
import type { Message } from "./message.ts";
import { toPlainText } from "./plain-text.ts";

export const SEND_MAIL = defineJob<Mail>("send_mail");

/** Queues a mail within the caller's transaction: it is sent if, and only if, that commits. */
export async function enqueueMail(tx: Queryable, site: Site, message: Message): Promise<void> {
  const { to, subject, replyTo, leaveUrl } = message;
  const parts = { text: toPlainText(site, message), html: toHtml(site, message) };
  await enqueue(tx, SEND_MAIL, { to, subject, replyTo, leaveUrl, ...parts });
}
