import type { Mail } from "./mail.server.ts";

/** What a mail says. Its HTML and text parts are both made from it. */
export interface Message extends Pick<Mail, "to" | "subject" | "replyTo" | "leaveUrl"> {
  /** In order; one that ends with an address has it on a line of its own. */
  paragraphs: (string | { text: string; url: string })[];
  /** The one thing to do, after the paragraphs. */
  action?: { label: string; url: string };
  /** Why this came, and how to end it: one paragraph each, after everything else. */
  footnotes: { text: string; link?: { label: string; url: string } }[];
}
