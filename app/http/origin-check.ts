/** Methods that change nothing (RFC 9110 §9.2.1). */
export const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const JSON_ENDPOINTS = /^\/(functions|v1|api)\//;

/** The origins that unsafe requests may come from. */
export interface OriginRules {
  publicOrigin: string;
  /** Paths whose requests authenticate by signature or token and not by a cookie. */
  fromAnywhere: readonly string[];
  /** The path that the hosted app's page may POST a form to; `null`: there is no hosted app. */
  handoff: { path: string; origin: string } | null;
}

/** Whether a request is for a JSON endpoint, whose errors are JSON too. */
export function isJsonEndpoint({ url }: Request): boolean {
  return JSON_ENDPOINTS.test(new URL(url).pathname);
}

/**
 * CSRF check for every unsafe method, because React Router's own covers pages but not resource routes.
 *
 * `Sec-Fetch-Site` decides; without it the `Origin` must be ours; a request with neither fails. Requests to JSON
 * endpoints without a cookie pass: they have no ambient authority, and the endpoint answers 401 itself. The handoff
 * accepts only the hosted app's origin, or any site could sign its visitors in to an account of its choice.
 */
export function isAllowedOrigin(request: Request, rules: OriginRules): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const { pathname } = new URL(request.url);
  if (rules.fromAnywhere.includes(pathname)) return true;
  if (JSON_ENDPOINTS.test(pathname) && !request.headers.has("cookie")) return true;
  if (isHandoff(request, rules)) return true;

  return isFromOwnPage(request.headers, rules.publicOrigin);
}

/** Whether a browser says that a page of this site sends it. */
export function isFromOwnPage(headers: Pick<Headers, "get">, publicOrigin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return headers.get("origin") === publicOrigin;
}

/** Whether a request comes from another origin, whose scripts must get nothing that our cookie gives access to. */
export function isFromAnotherOrigin({ headers }: Request, publicOrigin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return true;
  return (headers.get("origin") ?? publicOrigin) !== publicOrigin;
}

/**
 * The request without the `Origin` of another site where that is allowed, since React Router's own check would refuse
 * it: a mail client's one-click unsubscribe (RFC 8058), for example, or a handoff.
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
