/** Methods that change nothing (RFC 9110 §9.2.1). */
export const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const JSON_ENDPOINTS = /^\/(functions|v1|api)\//;

/** The origins a request may come from. */
export interface OriginRules {
  publicOrigin: string;
  /** Paths that authenticate by what they carry and not by a cookie. */
  fromAnywhere: readonly string[];
  /** Where another origin's page may send its user with a form; `null`: nowhere. */
  handoff: { path: string; origin: string } | null;
}

/** Whether programs call it, so that its errors are JSON, too. */
export function isJsonEndpoint({ url }: Request): boolean {
  return JSON_ENDPOINTS.test(new URL(url).pathname);
}

/**
 * Whether a request may change something on behalf of the browser that sent it: one check for every unsafe
 * method, because React Router checks pages only and resource routes not at all.
 *
 * Browsers say `Sec-Fetch-Site`; where it is absent the `Origin` must be ours; with neither, no. JSON endpoints
 * without a cookie pass: they carry no ambient authority and answer for themselves (401). The hosted app, whose user is
 * handed over, must say that it is the one: anybody else could sign people in as somebody they are not.
 */
export function isAllowedOrigin(request: Request, rules: OriginRules): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const { pathname } = new URL(request.url);
  if (rules.fromAnywhere.includes(pathname)) return true;
  if (JSON_ENDPOINTS.test(pathname) && !request.headers.has("cookie")) return true;
  if (isHandoff(request, rules)) return true;

  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return request.headers.get("origin") === rules.publicOrigin;
}

/** Whether a script of another origin asks, which gets nothing that a cookie of ours opens. */
export function isFromAnotherOrigin({ headers }: Request, publicOrigin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return true;
  return (headers.get("origin") ?? publicOrigin) !== publicOrigin;
}

/**
 * The same request as React Router accepts it. Its own check refuses whatever names another origin, even what is
 * authenticated by what it carries, such as a mail program's one press to leave a list.
 */
export function withoutForeignOrigin(request: Request, rules: OriginRules): Request {
  const origin = request.headers.get("origin");
  if (origin === null || origin === rules.publicOrigin) return request;
  if (!rules.fromAnywhere.includes(new URL(request.url).pathname) && !isHandoff(request, rules))
    return request;
  const headers = new Headers(request.headers);
  headers.delete("origin");
  return new Request(request, { headers });
}

function isHandoff({ url, headers }: Request, { handoff }: OriginRules): boolean {
  return (
    handoff !== null && new URL(url).pathname === handoff.path && headers.get("origin") === handoff.origin
  );
}
