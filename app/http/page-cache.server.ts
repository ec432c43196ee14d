import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import Negotiator from "negotiator";
import { isPrefetch } from "./prefetch.server.ts";

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
const FALLBACK_TIMEOUT_MILLISECONDS = 5_000;

const ENCODINGS = ["br", "gzip", "identity"] as const;
type Encoding = (typeof ENCODINGS)[number];

interface Rendering {
  version: number;
  /** In milliseconds since 1970. */
  freshUntil: number;
  as: Record<Encoding, Representation>;
}

interface Representation {
  body: Buffer;
  etag: string;
  /** Names and values alternating, which node:http writes as they are: half the time of an answer from memory. */
  headers: string[];
  headersOfNotModified: string[];
}

/**
 * Serves public pages from memory in two variants, for visitors and for people who carry a session cookie (decision 0036).
 * Each is rendered on the first request and after a change of version, and compressed once. When a new rendering fails
 * or takes long, because the database is away for example, the old one is served.
 *
 * @returns a handler that calls `next` for every request it does not answer
 */
export function createPageCache(options: PageCacheOptions) {
  const { pages, render, hasSession, version, onError, onView, onAnswer } = options;
  const known = new Map(pages.map((page) => [page.path, page]));
  /** By variant and path. */
  const kept = new Map<string, Rendering>();
  const underWay = new Map<string, Promise<Rendering | undefined>>();

  return function answer(request: IncomingMessage, response: ServerResponse, next: RequestListener): void {
    const page = findPage(known, request);
    if (!page) {
      next(request, response);
      return;
    }
    const isOfSession = hasSession(request.headers.cookie ?? "");
    const own = kept.get(`${isOfSession} ${page.path}`);
    if (own && isCurrent(own)) {
      send(own, page);
      return;
    }
    renewOrLast(page, isOfSession, own)
      .then((rendering) => (rendering ? send(rendering, page) : next(request, response)))
      .catch((error: unknown) => {
        onError(error, page.path);
        response.destroy();
      });

    function send({ as }: Rendering, { path }: CachedPage): void {
      const isHead = request.method === "HEAD";
      const chosen = as[chooseEncoding(request.headers["accept-encoding"])];
      const ifNoneMatch = request.headers["if-none-match"];
      if (ifNoneMatch && matchesEtag(ifNoneMatch, chosen.etag))
        response.writeHead(304, chosen.headersOfNotModified).end();
      else response.writeHead(200, chosen.headers).end(isHead ? undefined : chosen.body);
      onAnswer?.(path, isHead, response.statusCode);
      if (isHead || isPrefetch(request.headers)) return;
      onView?.(path, { referrer: request.headers.referer, userAgent: request.headers["user-agent"] });
    }
  };

  function isCurrent(rendering: Rendering): boolean {
    return rendering.version === version() && Date.now() < rendering.freshUntil;
  }

  /** The page rendered anew, or the last one when it cannot be or it takes too long. */
  async function renewOrLast(
    page: CachedPage,
    isOfSession: boolean,
    own: Rendering | undefined,
  ): Promise<Rendering | undefined> {
    const key = `${isOfSession} ${page.path}`;
    // Rather the links of a visitor than an error.
    const last = own ?? kept.get(`false ${page.path}`);
    // Concurrent requests share one rendering.
    const renewed =
      underWay.get(key) ?? renew(key, page, isOfSession, last).finally(() => underWay.delete(key));
    underWay.set(key, renewed);
    const patience = own ? RENDER_TIMEOUT_MILLISECONDS : FALLBACK_TIMEOUT_MILLISECONDS;
    return last ? Promise.race([renewed, sleep(patience, last, { ref: false })]) : renewed;
  }

  async function renew(
    key: string,
    page: CachedPage,
    isOfSession: boolean,
    last: Rendering | undefined,
  ): Promise<Rendering | undefined> {
    // Read before rendering, so that a change in the meantime makes this rendering stale.
    const current = version();
    try {
      const rendered = await render(page.path, isOfSession);
      if (rendered.status !== 200) throw new Error(`the page answered with ${rendered.status}`);
      kept.set(key, await compressed(page, isOfSession, rendered, current));
    } catch (error) {
      onError(error, page.path);
      if (last) kept.set(key, { ...last, version: current, freshUntil: Date.now() + RETRY_MILLISECONDS });
    }
    return kept.get(key);
  }
}

/** Browsers send a handful of different headers. Invented ones may empty this but not grow it. */
const MAX_CHOICES = 100;
const choices = new Map<string, Encoding>();

/** Brotli where a client takes either. */
function chooseEncoding(acceptEncoding = ""): Encoding {
  const known = choices.get(acceptEncoding);
  if (known) return known;
  const accepted = new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encodings([
    ...ENCODINGS,
  ]);
  const chosen = ENCODINGS.find((encoding) => accepted.includes(encoding)) ?? "identity";
  if (choices.size >= MAX_CHOICES) choices.clear();
  choices.set(acceptEncoding, chosen);
  return chosen;
}

async function compressed(
  { refreshSeconds }: CachedPage,
  isOfSession: boolean,
  rendered: Response,
  version: number,
): Promise<Rendering> {
  const identity = Buffer.from(await rendered.arrayBuffer());
  const hash = createHash("sha256").update(identity).digest("base64url").slice(0, 22);
  const as = (encoding: Encoding, body: Buffer): Representation => {
    const headers = new Headers(rendered.headers);
    const etag = `"${hash}-${encoding}"`;
    headers.set("Cache-Control", isOfSession ? "private, no-cache" : sharedCacheControl(refreshSeconds));
    headers.set("ETag", etag);
    headers.set("Vary", "Accept-Encoding, Cookie");
    const headersOfNotModified = [...headers].filter(([name]) => name !== "content-type").flat();
    if (encoding !== "identity") headers.set("Content-Encoding", encoding);
    headers.set("Content-Length", String(body.byteLength));
    return { body, etag, headers: [...headers].flat(), headersOfNotModified };
  };
  const [br, gz] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
  return {
    version,
    freshUntil: Date.now() + (refreshSeconds ?? Number.POSITIVE_INFINITY) * 1000,
    as: { br: as("br", br), gzip: as("gzip", gz), identity: as("identity", identity) },
  };
}

/**
 * Browsers revalidate every time, which costs a 304. A CDN may serve its copy for a minute, and a stale one while it
 * revalidates or cannot reach us (RFC 5861).
 */
function sharedCacheControl(refreshSeconds = 60): string {
  return `public, max-age=0, s-maxage=${refreshSeconds}, stale-while-revalidate=60, stale-if-error=86400`;
}

function findPage(
  known: Map<string, CachedPage>,
  { method, url = "" }: IncomingMessage,
): CachedPage | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  const [path = "", search = ""] = url.split("?", 2);
  const page = known.get(path);
  const query = page?.query && new URLSearchParams(search);
  return page?.query?.some((name) => query?.has(name)) ? undefined : page;
}

/** Whether If-None-Match contains the entity tag (RFC 9110 §13.1.2: weak comparison). */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  return (
    ifNoneMatch.trim() === "*" ||
    ifNoneMatch.split(",").some((item) => item.trim().replace(/^W\//, "") === etag)
  );
}
