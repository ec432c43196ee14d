import { isJsonEndpoint } from "./origin-check.ts";

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
