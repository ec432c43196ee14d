import type { Thing } from "../app/marketing/seo/json-ld.ts";

/** The content of a page's head, for search engines and link previews. */
export interface Head {
  title: string;
  /** By name or property. */
  meta: Record<string, string>;
  canonical: string | undefined;
  /** Everything in the page's JSON-LD. */
  things: Thing[];
}

/** @throws when a block of JSON-LD is not JSON */
export function readHead(html: string): Head {
  const meta = [...html.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"/g)];
  const documents = [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  return {
    title: textOf(/<title>(.*?)<\/title>/s.exec(html)?.[1] ?? ""),
    meta: Object.fromEntries(meta.map(([, name = "", content = ""]) => [name, textOf(content)])),
    canonical: /<link rel="canonical" href="([^"]+)"/.exec(html)?.[1],
    things: documents.flatMap(([, json = ""]) => JSON.parse(json)["@graph"] as Thing[]),
  };
}

const ENTITIES: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&amp;": "&",
};

/** The visible text of HTML: without scripts, styles and tags. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<(script|style)\b.*?<\/\1>/gs, "")
    .replaceAll(/<!-- -->/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/&(lt|gt|quot|#x27|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
