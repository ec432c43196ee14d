import type { Html } from "./html.ts";

/**
 * A page under a policy that allows styles and nothing else.
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
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policy.join("; "),
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    },
  });
}
