import { isJsonEndpoint } from "./origin-check.ts";

/** What client libraries of the spec's callable function send (spec §7); the last two are accepted and not read. */
const ALLOWED_HEADERS = "Authorization, Content-Type, Firebase-Instance-ID-Token, X-Firebase-AppCheck";

/** The answer to a browser that asks whether a script of another origin may call; `null` when nobody asks that. */
export function answerPreflight(request: Request): Response | null {
  if (request.method !== "OPTIONS" || !isJsonEndpoint(request)) return null;
  return new Response(null, { status: 204 });
}

/**
 * Lets scripts of the configured origins read what a JSON endpoint answers, be it an error. Never with credentials: the
 * cookie is for our own pages, and everybody else brings a bearer token.
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
