import type { Queryable } from "../db/client.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import { toHtml } from "./email-template.server.tsx";
import type { Mail } from "./mail.server.ts";
import { toPlainText } from "./plain-text.ts";

/** What a mail says, once: both of its parts, HTML and text, are made of it. */
export interface Message extends Pick<Mail, "to" | "subject" | "replyTo" | "leaveUrl"> {
  /** In order; one that ends with an address has it on a line of its own. */
  paragraphs: (string | { text: string; url: string })[];
  /** The one thing to do, after the paragraphs. */
  action?: { label: string; url: string };
  /** Why this came, and how to end it: one paragraph each, after everything else. */
  footnotes: { text: string; link?: { label: string; url: string } }[];
}

/** Writes a mail in the caller's own transaction: it is sent exactly when the reason for it was committed. */
export async function enqueueMail(tx: Queryable, site: Site, message: Message): Promise<void> {
  const { to, subject, replyTo, leaveUrl } = message;
  const parts = { text: toPlainText(site, message), html: toHtml(site, message) };
  await enqueue(tx, "send_mail", { to, subject, replyTo, leaveUrl, ...parts });
}
