import { createHash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import Negotiator from "negotiator";

/** The same for every visitor, and the same for everyone with a session cookie. */
export interface CachedPage {
  path: string;
  /** Requests with one of these parameters are not served from memory. */
  query?: string[];
  /** Without it, fresh until the version changes. */
  refreshSeconds?: number;
}

export interface PageCacheOptions {
  pages: readonly CachedPage[];
  /** Only a 200 is cached. */
  render: (path: string, hasSession: boolean) => Promise<Response>;
  /** By name only, valid or not. */
  hasSession: (cookie: string) => boolean;
  /** Increases whenever the content of any page may have changed. */
  version: () => number;
  onError: (error: unknown, path: string) => void;
  /** Not called for prefetches. */
  onView?: (path: string, from: Record<"referrer" | "userAgent", string | undefined>) => void;
  onAnswer?: (path: string, isHead: boolean, status: number) => void;
}

/** Serves the old rendering this long after a new one failed. */
const RETRY_MILLISECONDS = 1_000;
/** A rendering that takes longer: the old one is served. */
const RENDER_TIMEOUT_MILLISECONDS = 1_000;
/** The same without an old rendering: the visitors' page is served, whose header offers to log in. */
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
  /** Names and values, which node:http writes unchanged: half the time of an answer from memory. */
  headers: string[];
  headersOfNotModified: string[];
}

interface Variant {
  isOfSession: boolean;
  kept?: Rendering;
  /** Shared by concurrent requests. */
  underWay?: Promise<void>;
}

/** For visitors and with a session cookie (decision 0036). The old rendering is served while a new one fails or is slow. */
export function createPageCache(options: PageCacheOptions) {
  const { pages, render, hasSession, version, onError, onView, onAnswer } = options;
  const emptyVariant = (isOfSession: boolean): Variant => ({ isOfSession });
  const known = new Map(
    pages.map((page) => [page.path, { page, visitor: emptyVariant(false), session: emptyVariant(true) }]),
  );

  return function answer(request: IncomingMessage, response: ServerResponse, next: RequestListener): void {
    const { method, url = "", headers } = request;
    const [path = "", search = ""] = url.split("?", 2);
    const found = method === "GET" || method === "HEAD" ? known.get(path) : undefined;
    if (!found || isAnotherPage(found.page, search)) {
      next(request, response);
      return;
    }
    const { page, visitor, session } = found;
    const variant = hasSession(headers.cookie ?? "") ? session : visitor;
    const { kept } = variant;
    if (kept && kept.version === version() && Date.now() < kept.freshUntil) {
      send(request, response, kept, page);
      return;
    }
    renewOrLast(page, variant, visitor)
      .then((rendering) => (rendering ? send(request, response, rendering, page) : next(request, response)))
      .catch((error: unknown) => {
        onError(error, page.path);
        response.destroy();
      });
  };

  function send(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    { as }: Rendering,
    { path }: CachedPage,
  ): void {
    const isHead = method === "HEAD";
    const chosen = as[chooseEncoding(headers["accept-encoding"])];
    const ifNoneMatch = headers["if-none-match"];
    if (ifNoneMatch && matchesEtag(ifNoneMatch, chosen.etag))
      response.writeHead(304, chosen.headersOfNotModified).end();
    else response.writeHead(200, chosen.headers).end(isHead ? undefined : chosen.body);
    onAnswer?.(path, isHead, response.statusCode);
    if (!isHead && !isPrefetch(headers))
      onView?.(path, { referrer: headers.referer, userAgent: headers["user-agent"] });
  }

  /** The old rendering when the new one fails or is slow; the visitors' page when there is none. */
  async function renewOrLast(
    page: CachedPage,
    variant: Variant,
    visitor: Variant,
  ): Promise<Rendering | undefined> {
    const patience = variant.kept ? RENDER_TIMEOUT_MILLISECONDS : FALLBACK_TIMEOUT_MILLISECONDS;
    const last = variant.kept ?? visitor.kept;
    variant.underWay ??= renew(page, variant, last).finally(() => {
      variant.underWay = undefined;
    });
    const renewed = variant.underWay.then(() => variant.kept);
    return last ? Promise.race([renewed, sleep(patience, last, { ref: false })]) : renewed;
  }

  async function renew(page: CachedPage, variant: Variant, last: Rendering | undefined): Promise<void> {
    // Read before rendering, so that a concurrent change makes this rendering stale.
    const current = version();
    try {
      const rendered = await render(page.path, variant.isOfSession);
      if (rendered.status !== 200) throw new Error(`the page answered with ${rendered.status}`);
      variant.kept = await compressed(page, variant.isOfSession, rendered, current);
    } catch (error) {
      onError(error, page.path);
      if (last) variant.kept = { ...last, version: current, freshUntil: Date.now() + RETRY_MILLISECONDS };
    }
  }
}

function isAnotherPage({ query }: CachedPage, search: string): boolean {
  if (!query || search === "") return false;
  const parameters = new URLSearchParams(search);
  return query.some((name) => parameters.has(name));
}

/** Made-up headers can clear this cache, but not grow it. */
const MAX_CHOICES = 100;
const choices = new Map<string, Encoding>();

/** Brotli where a client accepts both. */
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

/** Browsers revalidate. A CDN may serve a minute's copy, and a stale one while it cannot reach us (RFC 5861). */
function sharedCacheControl(refreshSeconds = 60): string {
  return `public, max-age=0, s-maxage=${refreshSeconds}, stale-while-revalidate=60, stale-if-error=86400`;
}

/** RFC 9110 §13.1.2: weak comparison. */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  return (
    ifNoneMatch.trim() === "*" ||
    ifNoneMatch.split(",").some((item) => item.trim().replace(/^W\//, "") === etag)
  );
}

const PURPOSES = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/** In any spelling: "prefetch;prerender", "Preview". */
export function isPrefetch(headers: Headers | IncomingHttpHeaders): boolean {
  return PURPOSES.some((name) => {
    const purpose = headers instanceof Headers ? headers.get(name) : headers[name];
    return purpose ? /\b(?:prefetch|prerender|preview)\b/i.test(String(purpose)) : false;
  });
}

/** For `Clear-Site-Data`. */
export const PREFETCH_CACHES = '"prefetchCache", "prerenderCache"';
