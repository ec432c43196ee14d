import type { Html } from "./html.ts";

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/**
 * A page whose policy allows styles and nothing else.
 *
 * @param formTargets where its forms may lead
 */
export function pageResponse(status: number, { markup }: Html, formTargets = ["'none'"]): Response {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `form-action ${formTargets.join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(markup, {
    status,
    headers: {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "referrer-policy": "same-origin",
    },
  });
}

/** JSON that nothing on the way may cache (RFC 6749 §5.1). */
export function jsonResponse(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...HEADERS, ...headers } });
}

/** Where the browser goes on after a form. */
export function redirect(url: string): Response {
  const location = URL.parse(url)?.href ?? url;
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}
