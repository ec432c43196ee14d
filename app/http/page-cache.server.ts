import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseEncoding, type Encoding, encode } from "./encoding.server.ts";

/** A page that is the same for every visitor. */
export interface CachedPage {
  path: string;
  /** Query parameters that change the page; requests with one of them are not served from memory. */
  query?: string[];
  /** How long a rendering stays fresh; without it, until the version changes. */
  refreshSeconds?: number;
}

export interface PageCacheOptions {
  pages: readonly CachedPage[];
  /** Renders a path. Only a 200 is cached. */
  render: (path: string) => Promise<Response>;
  /** Increases whenever the content of any page may have changed. */
  version: () => number;
  onError: (error: unknown, path: string) => void;
}

/** How long the old rendering is served after a new one failed. */
const RETRY_MILLISECONDS = 1_000;
/** How long a request waits for a new rendering before it gets the old one. */
const RENDER_TIMEOUT_MILLISECONDS = 1_000;

/**
 * Serves public pages from memory: each is rendered on the first request and after a change of version, and compressed
 * once. When a new rendering fails or takes long, because the database is away for example, the old one is served.
 *
 * @returns a handler that calls `next` for every request it does not answer
 */
export function createPageCache({ pages, render, version, onError }: PageCacheOptions) {
  const known = new Map(pages.map((page) => [page.path, page]));
  const cached = new Map<string, Rendering>();
  const rendering = new Map<string, Promise<Rendering | undefined>>();

  return function answer(request: IncomingMessage, response: ServerResponse, next: RequestListener): void {
    const page = isRead(request) ? findPage(known, request.url ?? "") : undefined;
    const inMemory = page && cached.get(page.path);
    if (!page) next(request, response);
    else if (inMemory && isCurrent(inMemory)) send(inMemory, request, response);
    else {
      refreshOrServeStale(page)
        .then((page) => (page ? send(page, request, response) : next(request, response)))
        .catch((error: unknown) => {
          onError(error, page.path);
          if (response.headersSent) response.destroy();
          else next(request, response);
        });
    }
  };

  function isCurrent(page: Rendering): boolean {
    return page.version === version() && Date.now() < page.freshUntil;
  }

  /** The new rendering, or the old one when the new one takes too long. */
  function refreshOrServeStale(page: CachedPage): Promise<Rendering | undefined> {
    const refreshed = refreshOnce(page);
    const stale = cached.get(page.path);
    return stale ? Promise.race([refreshed, sleep(RENDER_TIMEOUT_MILLISECONDS, stale)]) : refreshed;
  }

  /** Concurrent requests share one rendering. */
  function refreshOnce(page: CachedPage): Promise<Rendering | undefined> {
    const inProgress = rendering.get(page.path);
    if (inProgress) return inProgress;
    const refreshing = refresh(page).finally(() => rendering.delete(page.path));
    rendering.set(page.path, refreshing);
    return refreshing;
  }

  async function refresh(page: CachedPage): Promise<Rendering | undefined> {
    // Read before rendering, so that a change in the meantime makes this rendering stale.
    const current = version();
    try {
      const rendered = await render(page.path);
      if (rendered.status !== 200) throw new Error(`the page answered with ${rendered.status}`);
      cached.set(page.path, await store(page, rendered, current));
    } catch (error) {
      onError(error, page.path);
      const stale = cached.get(page.path);
      if (stale)
        cached.set(page.path, { ...stale, version: current, freshUntil: Date.now() + RETRY_MILLISECONDS });
    }
    return cached.get(page.path);
  }
}

interface Rendering {
  version: number;
  /** In milliseconds since 1970. */
  freshUntil: number;
  as: Record<Encoding, Representation>;
}

interface Representation {
  body: Buffer;
  etag: string;
  /** Names and values alternating, which node:http writes without processing them again. */
  headers: string[];
  headersOfNotModified: string[];
}

async function store(page: CachedPage, rendered: Response, version: number): Promise<Rendering> {
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
 * Browsers revalidate every time, which costs a 304. A CDN may serve its copy for a minute, and a stale one while it
 * revalidates or cannot reach us (RFC 5861).
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

function send(page: Rendering, request: IncomingMessage, response: ServerResponse): void {
  const { body, etag, headers, headersOfNotModified } =
    page.as[chooseEncoding(headerOf(request, "accept-encoding"))];
  const ifNoneMatch = headerOf(request, "if-none-match");
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag)) {
    response.writeHead(304, headersOfNotModified).end();
    return;
  }
  response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
}

/**
 * A header that may be split over several lines, as one list. Read from `rawHeaders`, because `request.headers` would
 * parse all of them into an object: a good part of the cost of answering from memory.
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

/** Whether If-None-Match contains the entity tag (RFC 9110 §13.1.2: weak comparison). */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  return (
    ifNoneMatch.trim() === "*" ||
    ifNoneMatch.split(",").some((item) => item.trim().replace(/^W\//, "") === etag)
  );
}
