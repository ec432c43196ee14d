import type { Queryable } from "../db/client.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import { toHtml } from "./email-template.server.tsx";
import type { Message } from "./message.ts";
import { toPlainText } from "./plain-text.ts";

/** Writes a mail in the caller's own transaction: it is sent exactly when the reason for it was committed. */
export async function enqueueMail(tx: Queryable, site: Site, message: Message): Promise<void> {
  const { to, subject, replyTo, leaveUrl } = message;
  const parts = { text: toPlainText(site, message), html: toHtml(site, message) };
  await enqueue(tx, "send_mail", { to, subject, replyTo, leaveUrl, ...parts });
}
