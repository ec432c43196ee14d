import type { Site } from "../ui/site.ts";
import { type Message, makerOf } from "./message.ts";

/** Survives being quoted a few times (RFC 5322 §2.1.1 asks for 78 at most). */
const LINE_CHARACTERS = 72;

/** The content of the HTML part, with URLs on lines of their own. */
export function toPlainText(site: Site, message: Message): string {
  return wrap(toPreview(site, message));
}

/** The same without line breaks inside paragraphs: a page has lines of its own. */
export function toPreview(site: Site, { paragraphs, action, footnotes }: Message): string {
  return [
    ...paragraphs.map((paragraph) =>
      typeof paragraph === "string" ? paragraph : `${paragraph.text}\n${paragraph.url}`,
    ),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    // The signature separator (RFC 3676 §4.3).
    "-- ",
    ...footnotes.map(toFootnote),
    [site.product, site.origin, makerOf(site)].filter(Boolean).join("\n"),
  ].join("\n\n");
}

function toFootnote({ text, link }: Message["footnotes"][number]): string {
  if (!link) return text;
  // Mail clients link email addresses by themselves.
  const [, address] = /^mailto:(.+)$/.exec(link.url) ?? [];
  return address ? `${text} ${address}` : `${text}\n${link.label}:\n${link.url}`;
}

/** Keeps existing breaks, and words longer than a line, such as links. */
export function wrap(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(wrapLine)
    .join("\n");
}

function wrapLine(line: string): string {
  const lines = [""];
  for (const word of line.split(" ")) {
    const last = lines.at(-1) ?? "";
    const extended = last === "" ? word : `${last} ${word}`;
    if (last !== "" && extended.length > LINE_CHARACTERS) lines.push(word);
    else lines[lines.length - 1] = extended;
  }
  return lines.join("\n");
}
