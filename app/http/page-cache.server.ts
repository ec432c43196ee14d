import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseEncoding, type Encoding, encode } from "./encoding.server.ts";

/** A page that is the same for everybody. */
export interface CachedPage {
  path: string;
  /** Query parameters that make it another page, which is not answered from memory. */
  query?: string[];
  /** How long one rendering may be given out; without it, until the version changes. */
  refreshSeconds?: number;
}

export interface PageCacheOptions {
  pages: readonly CachedPage[];
  /** Renders a path. Anything but a 200 is not kept. */
  render: (path: string) => Promise<Response>;
  /** Grows whenever any page may say something else than before. */
  version: () => number;
  onError: (error: unknown, path: string) => void;
}

/** How long a page that could not be rendered anew is given out as it was, in milliseconds. */
const RETRY_MILLISECONDS = 1_000;
/** How long somebody waits for a page to be rendered anew when there is an old one, in milliseconds. */
const PATIENCE_MILLISECONDS = 1_000;

/**
 * Public pages, rendered when first asked for and whenever the version changes, compressed once, and answered from
 * memory. A page that cannot be rendered anew, or not soon, because the database is away, is given out as it was.
 *
 * @returns a handler that calls `next` for everything it does not answer
 */
export function createPageCache({ pages, render, version, onError }: PageCacheOptions) {
  const known = new Map(pages.map((page) => [page.path, page]));
  const kept = new Map<string, KeptPage>();
  const rendering = new Map<string, Promise<KeptPage | undefined>>();

  return function answer(request: IncomingMessage, response: ServerResponse, next: RequestListener): void {
    const page = isRead(request) ? findPage(known, request.url ?? "") : undefined;
    const inMemory = page && kept.get(page.path);
    if (!page) next(request, response);
    else if (inMemory && isCurrent(inMemory)) send(inMemory, request, response);
    else {
      renewPatiently(page)
        .then((page) => (page ? send(page, request, response) : next(request, response)))
        .catch((error: unknown) => {
          onError(error, page.path);
          if (response.headersSent) response.destroy();
          else next(request, response);
        });
    }
  };

  function isCurrent(page: KeptPage): boolean {
    return page.version === version() && Date.now() < page.freshUntil;
  }

  /** The new page, or the old one when the new one takes too long. */
  function renewPatiently(page: CachedPage): Promise<KeptPage | undefined> {
    const renewed = renewOnce(page);
    const old = kept.get(page.path);
    return old ? Promise.race([renewed, sleep(PATIENCE_MILLISECONDS, old)]) : renewed;
  }

  /** However many ask at once, a page is rendered once. */
  function renewOnce(page: CachedPage): Promise<KeptPage | undefined> {
    const underWay = rendering.get(page.path);
    if (underWay) return underWay;
    const renewal = renew(page).finally(() => rendering.delete(page.path));
    rendering.set(page.path, renewal);
    return renewal;
  }

  async function renew(page: CachedPage): Promise<KeptPage | undefined> {
    // Read before rendering: what changes meanwhile makes this rendering an old one, and not a new one by mistake.
    const current = version();
    try {
      const rendered = await render(page.path);
      if (rendered.status !== 200) throw new Error(`the page answered with ${rendered.status}`);
      kept.set(page.path, await keep(page, rendered, current));
    } catch (error) {
      onError(error, page.path);
      const old = kept.get(page.path);
      if (old) kept.set(page.path, { ...old, version: current, freshUntil: Date.now() + RETRY_MILLISECONDS });
    }
    return kept.get(page.path);
  }
}

interface KeptPage {
  version: number;
  /** In milliseconds since 1970. */
  freshUntil: number;
  as: Record<Encoding, Representation>;
}

interface Representation {
  body: Buffer;
  etag: string;
  /** Names and values in turn, as node:http writes them without looking at each again. */
  headers: string[];
  headersOfNotModified: string[];
}

async function keep(page: CachedPage, rendered: Response, version: number): Promise<KeptPage> {
  const body = Buffer.from(await rendered.arrayBuffer());
  const seconds = page.refreshSeconds;
  const as = (encoding: Encoding) => represent(body, encoding, rendered.headers, seconds);
  const [br, gzip, identity] = await Promise.all([as("br"), as("gzip"), as("identity")]);
  const freshUntil = seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000;
  return { version, freshUntil, as: { br, gzip, identity } };
}

async function represent(
  plain: Buffer,
  encoding: Encoding,
  rendered: Headers,
  refreshSeconds: number | undefined,
): Promise<Representation> {
  const body = await encode(plain, encoding, refreshSeconds === undefined ? "once" : "now");
  const hash = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
  const etag = `"${hash}-${encoding}"`;
  const headers = new Headers(rendered);
  headers.set("ETag", etag);
  headers.set("Vary", "Accept-Encoding");
  headers.set("Cache-Control", cacheControl(refreshSeconds));
  const headersOfNotModified = [...headers].filter(([name]) => !name.startsWith("content-type")).flat();
  if (encoding !== "identity") headers.set("Content-Encoding", encoding);
  headers.set("Content-Length", String(body.byteLength));
  return { body, etag, headers: [...headers].flat(), headersOfNotModified };
}

/**
 * Browsers ask every time, which costs a 304. A CDN may answer for a minute by itself, and goes on with what it has
 * while it asks or cannot reach us (RFC 5861).
 */
function cacheControl(refreshSeconds = 60): string {
  return `public, max-age=0, s-maxage=${refreshSeconds}, stale-while-revalidate=60, stale-if-error=86400`;
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function findPage(known: Map<string, CachedPage>, url: string): CachedPage | undefined {
  const start = url.indexOf("?");
  if (start === -1) return known.get(url);
  const page = known.get(url.slice(0, start));
  if (!page?.query) return page;
  const query = new URLSearchParams(url.slice(start));
  return page.query.some((name) => query.has(name)) ? undefined : page;
}

function send(page: KeptPage, request: IncomingMessage, response: ServerResponse): void {
  const { body, etag, headers, headersOfNotModified } =
    page.as[chooseEncoding(headerOf(request, "accept-encoding"))];
  const held = headerOf(request, "if-none-match");
  if (held !== undefined && isHeld(held, etag)) {
    response.writeHead(304, headersOfNotModified).end();
    return;
  }
  response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
}

/**
 * A header that may be sent in several lines, which are one list. Read from the lines as they came: asking
 * `request.headers` would sort all of them into an object, a good part of what answering from memory costs.
 *
 * @param name in lower case
 */
function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const line = rawHeaders[index] ?? "";
    if (line.length !== name.length || line.toLowerCase() !== name) continue;
    const value = rawHeaders[index + 1];
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

/** Whether If-None-Match names what we would send (RFC 9110 §13.1.2: compared weakly). */
export function isHeld(ifNoneMatch: string, etag: string): boolean {
  return (
    ifNoneMatch.trim() === "*" ||
    ifNoneMatch.split(",").some((item) => item.trim().replace(/^W\//, "") === etag)
  );
}
