import { type Site, supportAddress, supportUrl } from "../ui/site.ts";
import type { Mail } from "./mail.server.ts";

/** For both the HTML and the text part. */
export interface Message extends Pick<Mail, "to" | "subject" | "replyTo" | "leaveUrl" | "isFromPerson"> {
  /** A paragraph's URL gets its own line. */
  paragraphs: (string | { text: string; url: string })[];
  action?: { label: string; url: string };
  /** Why the recipient gets this mail and how to unsubscribe: one paragraph each. */
  footnotes: { text: string; link?: { label: string; url: string } }[];
}

/** @param text ends with a colon: the address to write to follows */
export function supportNote(text: string, site: Site): Message["footnotes"][number] {
  return { text, link: { label: supportAddress(site), url: supportUrl(site) } };
}

/** On one line; empty while the settings name none. */
export function makerOf({ company, companyAddress }: Pick<Site, "company" | "companyAddress">): string {
  return [company, companyAddress].filter(Boolean).join(", ");
}
