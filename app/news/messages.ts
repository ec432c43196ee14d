import type { Message } from "../mail/message.ts";
import type { Site } from "../ui/site.ts";
import { type ChangelogEntry, paragraphsOf } from "./entry.tsx";

export function changelogMessage(
  { id, title, body }: Pick<ChangelogEntry, "id" | "title" | "body">,
  { email, leaveUrl }: { email: string; leaveUrl: string },
  { origin, product }: Site,
): Message {
  return {
    to: email,
    subject: title,
    leaveUrl,
    paragraphs: paragraphsOf(body),
    action: { label: "See what’s new", url: `${origin}/changelog#${id}` },
    footnotes: [
      {
        text: `You’re getting this email because you asked for ${product} product news.`,
        link: { label: "Unsubscribe", url: leaveUrl },
      },
    ],
  };
}
