import type { Site } from "../ui/site.ts";
import type { Mail } from "./mail.server.ts";

/** The content of a mail, from which both its HTML and its text part are made. */
export interface Message extends Pick<Mail, "to" | "subject" | "replyTo" | "leaveUrl" | "isFromPerson"> {
  /** In order; a paragraph's URL gets its own line. */
  paragraphs: (string | { text: string; url: string })[];
  /** The button after the paragraphs. */
  action?: { label: string; url: string };
  /** Why the recipient gets this mail and how to unsubscribe: one paragraph each, at the end. */
  footnotes: { text: string; link?: { label: string; url: string } }[];
}

/** The company and its postal address, on one line; empty while the settings name none. */
export function makerOf({ company, companyAddress }: Pick<Site, "company" | "companyAddress">): string {
  return [company, companyAddress].filter(Boolean).join(", ");
}
