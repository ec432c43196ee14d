/** Methods that change nothing (RFC 9110 §9.2.1). */
export const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const JSON_ENDPOINTS = /^\/(functions|v1|api)\//;

/** The origins that unsafe requests may come from. */
export interface OriginRules {
  publicOrigin: string;
  /** Paths whose requests authenticate by signature or token and not by a cookie. */
  fromAnywhere: readonly string[];
  /** Below this path, pages under another of the site's names may send requests too, and are told which name to use. */
  fromOtherNames: string;
  /** The path that the hosted app's page may POST a form to; `null`: there is no hosted app. */
  handoff: { path: string; origin: string } | null;
}

/** Whether a request is for a JSON endpoint, whose errors are JSON too. */
export function isJsonEndpoint({ url }: Request): boolean {
  return JSON_ENDPOINTS.test(new URL(url).pathname);
}

/**
 * The CSRF check for every unsafe method, and the only one: React Router's own covers pages but not resource routes.
 *
 * `Sec-Fetch-Site` decides, unless the `Origin` contradicts it; without it the `Origin` must be ours; a request with
 * neither fails. Requests to JSON endpoints without a cookie pass: they have no ambient authority, and the endpoint
 * answers 401 itself. The handoff accepts only the hosted app's origin, or any site could sign its visitors in to an
 * account of its choice.
 */
export function isAllowedOrigin(request: Request, rules: OriginRules): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const { pathname } = new URL(request.url);
  if (rules.fromAnywhere.includes(pathname)) return true;
  if (JSON_ENDPOINTS.test(pathname) && !request.headers.has("cookie")) return true;
  if (isHandoff(request, rules) || isFromOtherName(request, rules)) return true;

  return isFromOwnPage(request.headers, rules.publicOrigin);
}

/**
 * Whether a browser says that a page of this site sends it. A page under `Referrer-Policy: no-referrer` sends
 * `Origin: null`, as a sandboxed frame does: only `Sec-Fetch-Site` tells them apart.
 */
function isFromOwnPage(headers: Pick<Headers, "get">, publicOrigin: string): boolean {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  if (site === null) return origin === publicOrigin;
  return site === "same-origin" && (origin === null || origin === "null" || origin === publicOrigin);
}

/** Whether a request comes from another origin, whose scripts must get nothing that our cookie gives access to. */
export function isFromAnotherOrigin({ headers }: Request, publicOrigin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "none") return (headers.get("origin") ?? publicOrigin) !== publicOrigin;
  return !isFromOwnPage(headers, publicOrigin);
}

/**
 * An allowed request without the `Origin` of another site or of none, which React Router's own check would refuse with a
 * bare 400: a page's under `no-referrer`, a mail client's one-click unsubscribe (RFC 8058), or a handoff. Where other names
 * of this site are answered, it stays.
 */
export function withoutForeignOrigin(request: Request, rules: OriginRules): Request {
  const origin = request.headers.get("origin");
  if (origin === null || origin === rules.publicOrigin || SAFE_METHODS.has(request.method)) return request;
  if (isFromOtherName(request, rules)) return request;
  const headers = new Headers(request.headers);
  headers.delete("origin");
  return new Request(request, { headers });
}

function isHandoff({ url, headers }: Request, { handoff }: OriginRules): boolean {
  return (
    handoff !== null &&
    new URL(url).pathname === handoff.path &&
    headers.get("origin") === handoff.origin &&
    headers.get("sec-fetch-site") !== "same-origin"
  );
}

/** Whether a page of this site under the requested name sends it: "same-origin" holds under any name. */
function isFromOtherName({ url, headers }: Request, { fromOtherNames }: OriginRules): boolean {
  const page = URL.parse(headers.get("origin") ?? "");
  return (
    new URL(url).pathname.startsWith(fromOtherNames) &&
    headers.get("sec-fetch-site") === "same-origin" &&
    page !== null &&
    page.host === headers.get("host")
  );
}

/** The headers that callable client libraries send (spec §7). */
const ALLOWED_HEADERS = "Authorization, Content-Type, Firebase-Instance-ID-Token, X-Firebase-AppCheck";

/** The response to a CORS preflight of a JSON endpoint; `null` for any other request. */
export function answerPreflight(request: Request): Response | null {
  if (request.method !== "OPTIONS" || !isJsonEndpoint(request)) return null;
  return new Response(null, { status: 204 });
}

/**
 * Allows scripts of the configured origins to read the responses of JSON endpoints, errors included. Never with
 * credentials: the cookie is for our own pages, other origins send a bearer token.
 */
export function applyCors(headers: Headers, request: Request, corsOrigins: readonly string[]): void {
  if (!isJsonEndpoint(request)) return;
  headers.append("Vary", "Origin");
  const origin = request.headers.get("origin");
  if (origin === null || !corsOrigins.includes(origin)) return;
  headers.set("Access-Control-Allow-Origin", origin);
  headers.set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id");
  if (request.method !== "OPTIONS") return;
  headers.set("Access-Control-Allow-Methods", "GET, POST");
  headers.set("Access-Control-Allow-Headers", ALLOWED_HEADERS);
  headers.set("Access-Control-Max-Age", "600");
}
