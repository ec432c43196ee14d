/** Markup in which all text is escaped. */
class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

export type { Html };

type Content = Html | Content[] | string | false | null | undefined;

/** Markup from a template. Text is escaped for element content and quoted attributes; absent values become nothing. */
export function html(strings: TemplateStringsArray, ...contents: Content[]): Html {
  return new Html(String.raw({ raw: strings }, ...contents.map(toMarkup)));
}

function toMarkup(content: Content): string {
  if (content instanceof Html) return content.markup;
  if (Array.isArray(content)) return content.map(toMarkup).join("");
  return (content || "").replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

interface SandboxPage {
  /** The page and its sandbox, for the tab: `Already paid · Payment sandbox` */
  title: string;
  /** Follows the word Sandbox: what does not happen here. */
  notice: string;
  style: Html;
  content: Html;
}

/** A whole page of a sandbox: no script, nothing fetched. */
export function sandboxDocument({ title, notice, style, content }: SandboxPage): Html {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <style>${pageStyle}${style}</style>
  </head>
  <body>
    <main>
      <p class="sandbox"><strong>Sandbox</strong> ${notice}</p>
      ${content}
    </main>
  </body>
</html>
`;
}

/** The style of all sandbox pages: paper and ink. Every pair of colours has a contrast of at least 4.5:1. */
const pageStyle = html`
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbf7ee, #171511);
  --ink: light-dark(#1c1a15, #f3eddf);
  --quiet: light-dark(#5f584a, #b5ac99);
  --rule: light-dark(#857d6c, #8a8270);
  --label: light-dark(#ffe48a, #f2cf5b);
  --green: light-dark(#17663f, #7ed6a2);
  --on-green: light-dark(#ffffff, #0d2217);
  --coral: light-dark(#a3311c, #ff9d87);
}
/* The site fades from page to page; Chromium reports an error in the console for a page that does not take part. */
@media (prefers-reduced-motion: no-preference) { @view-transition { navigation: auto; } }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1.5rem 1.25rem 4rem;
  background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, sans-serif;
}
main { max-width: 30rem; margin: 0 auto; }
.sandbox { margin: 0 0 2.5rem; font-size: 0.9375rem; }
.sandbox strong { background: var(--label); color: #1c1a15; padding: 0.2em 0.55em; margin-right: 0.4em; }
h1 {
  margin: 0 0 0.5rem;
  font: 600 2.125rem/1.1 "Iowan Old Style", "Palatino Nova", "Palatino Linotype", "URW Palladio L", P052, Charter, "Noto Serif", "Source Serif 4", "Liberation Serif", serif;
  letter-spacing: -0.015em; text-wrap: balance; overflow-wrap: anywhere;
}
p { margin: 0 0 1rem; }
.quiet { color: var(--quiet); }
.quiet, dd { overflow-wrap: anywhere; }
dl { margin: 2rem 0 1.5rem; }
dd { margin: 0; }
button, .button {
  display: block; width: 100%; min-height: 44px; padding: 0.65rem 1rem;
  border: 1px solid var(--rule); border-radius: 4px; background: none; color: var(--ink);
  font: inherit; text-align: center; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { text-decoration: underline; text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
`;

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/**
 * A page whose policy allows styles and nothing else.
 *
 * @param formTargets where its forms may lead
 */
export function pageResponse(status: number, { markup }: Html, formTargets = ["'none'"]): Response {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `form-action ${formTargets.join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(markup, {
    status,
    headers: {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "referrer-policy": "same-origin",
    },
  });
}

/** JSON that nothing on the way may cache (RFC 6749 §5.1). */
export function jsonResponse(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...HEADERS, ...headers } });
}

export function redirect(url: string): Response {
  const location = URL.parse(url)?.href ?? url;
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}

const MAX_BYTES = 64 * 1024;

/** The body as text; `null` when it is more than 64 KiB, which is not kept in memory. */
export async function readBody(request: Request): Promise<string | null> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let body = "";
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) return null;
    body += decoder.decode(chunk, { stream: true });
  }
  return body + decoder.decode();
}

/** The body as JSON, whatever its type claims; `undefined` when it is not JSON or more than 64 KiB. */
export async function readJson(request: Request): Promise<unknown> {
  try {
    return JSON.parse((await readBody(request)) ?? "");
  } catch {
    return undefined;
  }
}

/**
 * What a browser sent to a page: the form of a POST, the query otherwise; null when it is too much. Without NUL, which
 * PostgreSQL cannot hold.
 */
export async function readHostedForm(request: Request): Promise<URLSearchParams | null> {
  const encoded = request.method === "POST" ? await readBody(request) : new URL(request.url).search;
  if (encoded === null) return null;
  const form = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(encoded)) form.append(name, value.replaceAll("\0", ""));
  return form;
}
