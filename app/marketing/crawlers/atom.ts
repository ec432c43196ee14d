import type { Site } from "../../ui/site.ts";
import { textFileResponse } from "./text-file-response.ts";

interface FeedEntry {
  path: string;
  title: string;
  updated: Date;
  summary: string;
}

/** RFC 4287. @param entries the newest first */
export function atomFeed(
  { origin, product }: Site,
  page: { path: string; name: string },
  entries: FeedEntry[],
) {
  const url = origin + page.path;
  const newest = new Date(Math.max(0, ...entries.map(({ updated }) => updated.getTime())));
  const items = entries.map(
    (entry) => `  <entry>
    <id>${escapeXml(origin + entry.path)}</id>
    <title>${escapeXml(entry.title)}</title>
    <link href="${escapeXml(origin + entry.path)}"/>
    <updated>${entry.updated.toISOString()}</updated>
    <summary>${escapeXml(entry.summary)}</summary>
  </entry>\n`,
  );
  return textFileResponse(
    "application/atom+xml; charset=utf-8",
    `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${url}</id>
  <title>${escapeXml(`${product}: ${page.name}`)}</title>
  <author><name>${escapeXml(product)}</name></author>
  <link href="${url}"/>
  <link rel="self" href="${url}/feed.xml"/>
  <updated>${newest.toISOString()}</updated>
${items.join("")}</feed>
`,
  );
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Drops characters that XML 1.0 does not allow. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "")
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "");
}
