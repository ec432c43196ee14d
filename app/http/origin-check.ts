const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const JSON_ENDPOINTS = /^\/(functions|v1|api)\//;
/** Authenticated by what they carry, not by a cookie: Stripe's signature, and a token only its owner's mail has (RFC 8058). */
const FROM_ANYWHERE = new Set(["/webhooks/stripe", "/waitlist/leave"]);

/**
 * Whether a request may change something on behalf of the browser that sent it: one check for every unsafe
 * method, because React Router checks pages only and resource routes not at all.
 *
 * Browsers say `Sec-Fetch-Site`; where it is absent the `Origin` must be ours; with neither, no. JSON endpoints
 * without a cookie pass: they carry no ambient authority and answer for themselves (401).
 */
export function isAllowedOrigin(request: Request, publicOrigin: string): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const { pathname } = new URL(request.url);
  if (FROM_ANYWHERE.has(pathname)) return true;
  if (JSON_ENDPOINTS.test(pathname) && !request.headers.has("cookie")) return true;

  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return request.headers.get("origin") === publicOrigin;
}

/**
 * The same request as React Router accepts it. Its own check refuses whatever names another origin, even what is
 * authenticated by what it carries, such as a mail program's one press to leave a list.
 */
export function withoutForeignOrigin(request: Request, publicOrigin: string): Request {
  const origin = request.headers.get("origin");
  if (origin === null || origin === publicOrigin || !FROM_ANYWHERE.has(new URL(request.url).pathname))
    return request;
  const headers = new Headers(request.headers);
  headers.delete("origin");
  return new Request(request, { headers });
}
