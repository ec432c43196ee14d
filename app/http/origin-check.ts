import { PATH_RULES } from "./path-rules.ts";

/** RFC 9110 §9.2.1. */
export const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const FROM_ANYWHERE: readonly string[] = PATH_RULES.fromAnywhere;
const JSON_ENDPOINTS = /^\/(functions|v1|api)\//;

export interface OriginRules {
  publicOrigin: string;
  /** The hosted app's; `null`: there is none. */
  handoffOrigin: string | null;
}

export function isJsonEndpoint({ url }: Request): boolean {
  return JSON_ENDPOINTS.test(new URL(url).pathname);
}

/**
 * The only CSRF check: React Router's own does not cover resource routes. `Sec-Fetch-Site` decides, unless the `Origin` contradicts it;
 * without it the `Origin` must be ours; a request with neither fails. JSON endpoints without a cookie have no ambient authority, and
 * answer 401 themselves. The handoff accepts only the hosted app's origin, or any site could sign its visitors in to an account of its
 * choice.
 */
export function isAllowedOrigin(request: Request, rules: OriginRules): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const { pathname } = new URL(request.url);
  if (FROM_ANYWHERE.includes(pathname)) return true;
  if (JSON_ENDPOINTS.test(pathname) && !request.headers.has("cookie")) return true;
  if (isHandoff(request, rules) || isFromOtherName(request)) return true;

  return isFromOwnPage(request.headers, rules.publicOrigin);
}

/** Under `no-referrer` a page sends `Origin: null`, as a sandboxed frame does: only `Sec-Fetch-Site` tells them apart. */
function isFromOwnPage(headers: Pick<Headers, "get">, publicOrigin: string): boolean {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  if (site === null) return origin === publicOrigin;
  return site === "same-origin" && (origin === null || origin === "null" || origin === publicOrigin);
}

/** Whose scripts must get nothing that our cookie gives access to. */
export function isFromAnotherOrigin({ headers }: Request, publicOrigin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "none") return (headers.get("origin") ?? publicOrigin) !== publicOrigin;
  return !isFromOwnPage(headers, publicOrigin);
}

/** React Router's own check would refuse these: `no-referrer` pages, one-click unsubscribe (RFC 8058), a handoff. */
export function withoutForeignOrigin(request: Request, rules: OriginRules): Request {
  const origin = request.headers.get("origin");
  if (origin === null || origin === rules.publicOrigin || SAFE_METHODS.has(request.method)) return request;
  if (isFromOtherName(request)) return request;
  const headers = new Headers(request.headers);
  headers.delete("origin");
  return new Request(request, { headers });
}

function isHandoff({ url, headers }: Request, { handoffOrigin }: OriginRules): boolean {
  return (
    handoffOrigin !== null &&
    new URL(url).pathname === PATH_RULES.handoff &&
    headers.get("origin") === handoffOrigin &&
    headers.get("sec-fetch-site") !== "same-origin"
  );
}

/** "same-origin" holds under any name. */
function isFromOtherName({ url, headers }: Request): boolean {
  const page = URL.parse(headers.get("origin") ?? "");
  return (
    new URL(url).pathname.startsWith(PATH_RULES.fromOtherNames) &&
    headers.get("sec-fetch-site") === "same-origin" &&
    page !== null &&
    page.host === headers.get("host")
  );
}

/** Spec §7. */
const ALLOWED_HEADERS = "Authorization, Content-Type, Firebase-Instance-ID-Token, X-Firebase-AppCheck";

export function answerPreflight(request: Request): Response | null {
  if (request.method !== "OPTIONS" || !isJsonEndpoint(request)) return null;
  return new Response(null, { status: 204 });
}

/** Errors included. Without credentials: the cookie is for our own pages, other origins send a bearer token. */
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
