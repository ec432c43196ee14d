import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Asked, readAsked } from "./asked.server.ts";
import { chooseEncoding, type Encoding, encode } from "./encoding.server.ts";

/** A page that says the same to every visitor, and to everybody who carries a session. */
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
  render: (path: string, hasSession: boolean) => Promise<Response>;
  /** Whether a Cookie header carries a session, by its name alone: what a session is worth is not asked here. */
  hasSession: (cookie: string) => boolean;
  /** Increases whenever the content of any page may have changed. */
  version: () => number;
  onError: (error: unknown, path: string) => void;
  /** Told of every GET that a page was sent to, or confirmed to, as it was kept; not of what browsers fetch ahead. */
  onView?: (path: string, from: { referrer: string | undefined; userAgent: string | undefined }) => void;
  /** Told of every answer. */
  onAnswer?: (path: string, isHead: boolean, status: number) => void;
}

/** How long the old rendering is served after a new one failed. */
const RETRY_MILLISECONDS = 1_000;
/** How long a request waits for a new rendering before it gets the old one. */
const RENDER_TIMEOUT_MILLISECONDS = 1_000;
/** How long it waits for one before it gets the page of a visitor, whose header is not its own. */
const LENDING_TIMEOUT_MILLISECONDS = 5_000;

/**
 * Serves public pages from memory in two variants, for visitors and for people who carry a session cookie (decision 0036).
 * Each is rendered on the first request and after a change of version, and compressed once. When a new rendering fails
 * or takes long, because the database is away for example, the old one is served.
 *
 * @returns a handler that calls `next` for every request it does not answer
 */
export function createPageCache(options: PageCacheOptions) {
  const { pages, render, hasSession, version, onError, onView, onAnswer } = options;
  const known = new Map(pages.map((page) => [page.path, openShelf(page)]));

  return function answer(request: IncomingMessage, response: ServerResponse, next: RequestListener): void {
    const shelf = isRead(request) ? findShelf(known, request.url ?? "") : undefined;
    if (!shelf) {
      next(request, response);
      return;
    }
    const asked = readAsked(request);
    const place = asked.cookie !== undefined && hasSession(asked.cookie) ? shelf.session : shelf.visitor;
    const { kept, retryAt } = place;
    // Rather the links of a visitor than an error.
    const lent = kept ? undefined : shelf.visitor.kept;
    if (kept && isCurrent(kept)) sendAndTell(kept, place.page, asked, response);
    else if (lent && Date.now() < retryAt) sendAndTell(lent, place.page, asked, response);
    else {
      refreshOrServeStale(place, kept ?? lent)
        .then((rendering) =>
          rendering ? sendAndTell(rendering, place.page, asked, response) : next(request, response),
        )
        .catch((error: unknown) => {
          onError(error, place.page.path);
          if (response.headersSent) response.destroy();
          else next(request, response);
        });
    }
  };

  function sendAndTell(rendering: Rendering, { path }: CachedPage, asked: Asked, response: ServerResponse) {
    send(rendering, asked, response);
    onAnswer?.(path, asked.isHead, response.statusCode);
    if (!asked.isHead && !asked.isAhead) onView?.(path, asked);
  }

  function isCurrent(rendering: Rendering): boolean {
    return rendering.version === version() && Date.now() < rendering.freshUntil;
  }

  /** The new rendering, or the stale one when there is no new one or it takes too long. */
  async function refreshOrServeStale(
    place: Place,
    stale: Rendering | undefined,
  ): Promise<Rendering | undefined> {
    const refreshed = refreshOnce(place);
    const patience = place.kept ? RENDER_TIMEOUT_MILLISECONDS : LENDING_TIMEOUT_MILLISECONDS;
    const first = stale ? Promise.race([refreshed, sleep(patience, stale)]) : refreshed;
    return (await first) ?? stale;
  }

  /** Concurrent requests for a variant share one rendering. */
  function refreshOnce(place: Place): Promise<Rendering | undefined> {
    place.refreshing ??= refresh(place).finally(() => {
      place.refreshing = undefined;
    });
    return place.refreshing;
  }

  async function refresh(place: Place): Promise<Rendering | undefined> {
    const { page, isOfSession } = place;
    // Read before rendering, so that a change in the meantime makes this rendering stale.
    const current = version();
    try {
      const rendered = await render(page.path, isOfSession);
      if (rendered.status !== 200) throw new Error(`the page answered with ${rendered.status}`);
      place.kept = await store(place, rendered, current);
    } catch (error) {
      onError(error, page.path);
      place.retryAt = Date.now() + RETRY_MILLISECONDS;
      if (place.kept) place.kept = { ...place.kept, version: current, freshUntil: place.retryAt };
    }
    return place.kept;
  }
}

/** Where the variants of a page are kept. */
interface Shelf {
  page: CachedPage;
  visitor: Place;
  session: Place;
}

/** Where one of them is kept. */
interface Place {
  page: CachedPage;
  isOfSession: boolean;
  kept?: Rendering | undefined;
  /** After a rendering that failed, in milliseconds since 1970: until then the visitor's page is lent again without another try. */
  retryAt: number;
  /** While it is being rendered. */
  refreshing?: Promise<Rendering | undefined> | undefined;
}

function openShelf(page: CachedPage): Shelf {
  const place = (isOfSession: boolean): Place => ({ page, isOfSession, retryAt: 0 });
  return { page, visitor: place(false), session: place(true) };
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

async function store({ page, isOfSession }: Place, rendered: Response, version: number): Promise<Rendering> {
  const plain = Buffer.from(await rendered.arrayBuffer());
  const { refreshSeconds: seconds } = page;
  const headers = new Headers(rendered.headers);
  headers.set("Cache-Control", isOfSession ? "private, no-cache" : sharedCacheControl(seconds));
  const as = (encoding: Encoding) => represent(plain, encoding, headers, seconds === undefined);
  const [br, gzip, identity] = await Promise.all([as("br"), as("gzip"), as("identity")]);
  const freshUntil = seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000;
  return { version, freshUntil, as: { br, gzip, identity } };
}

async function represent(
  plain: Buffer<ArrayBuffer>,
  encoding: Encoding,
  rendered: Headers,
  isKeptLong: boolean,
): Promise<Representation> {
  const body = await encode(plain, encoding, isKeptLong ? "once" : "now");
  const hash = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
  const etag = `"${hash}-${encoding}"`;
  const headers = new Headers(rendered);
  headers.set("ETag", etag);
  headers.set("Vary", "Accept-Encoding, Cookie");
  const headersOfNotModified = [...headers].filter(([name]) => !name.startsWith("content-type")).flat();
  if (encoding !== "identity") headers.set("Content-Encoding", encoding);
  headers.set("Content-Length", String(body.byteLength));
  return { body, etag, headers: [...headers].flat(), headersOfNotModified };
}

/**
 * Browsers revalidate every time, which costs a 304. A CDN may serve its copy for a minute, and a stale one while it
 * revalidates or cannot reach us (RFC 5861).
 */
function sharedCacheControl(refreshSeconds = 60): string {
  return `public, max-age=0, s-maxage=${refreshSeconds}, stale-while-revalidate=60, stale-if-error=86400`;
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function findShelf(known: Map<string, Shelf>, url: string): Shelf | undefined {
  const start = url.indexOf("?");
  if (start === -1) return known.get(url);
  const shelf = known.get(url.slice(0, start));
  if (!shelf?.page.query) return shelf;
  const query = new URLSearchParams(url.slice(start));
  return shelf.page.query.some((name) => query.has(name)) ? undefined : shelf;
}

function send({ as }: Rendering, asked: Asked, response: ServerResponse): void {
  const { body, etag, headers, headersOfNotModified } = as[chooseEncoding(asked.acceptEncoding)];
  if (asked.ifNoneMatch !== undefined && matchesEtag(asked.ifNoneMatch, etag)) {
    response.writeHead(304, headersOfNotModified).end();
    return;
  }
  response.writeHead(200, headers).end(asked.isHead ? undefined : body);
}

/** Whether If-None-Match contains the entity tag (RFC 9110 §13.1.2: weak comparison). */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  return (
    ifNoneMatch.trim() === "*" ||
    ifNoneMatch.split(",").some((item) => item.trim().replace(/^W\//, "") === etag)
  );
}
