import type { WaitlistWidget } from "../config.server.ts";

/** Sent with every answer of the app (OWASP Secure Headers). An answer may name a stricter referrer policy itself. */
export function applySecurityHeaders(headers: Headers, isHttps: boolean): void {
  headers.set("X-Content-Type-Options", "nosniff");
  if (!headers.has("Referrer-Policy")) headers.set("Referrer-Policy", "strict-origin-when-cross-origin");
  headers.set("X-Frame-Options", "DENY");
  headers.set("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
  headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
  if (isHttps) headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
}

/**
 * The policy of one page. A page that is not hydrated may run no script at all.
 *
 * @param formTargets origins a form may lead to after its redirects: browsers apply form-action to those too
 * @param widget the third party whose waitlist is on this page: its hosts, and no others, may do what it does
 */
export function contentSecurityPolicy(options: {
  nonce: string | undefined;
  styles: string;
  formTargets: readonly string[];
  widget: WaitlistWidget | null;
}): string {
  const { nonce, styles, formTargets, widget } = options;
  const widgetHosts = widget ? [new URL(widget.scriptUrl).origin] : [];
  const widgetStyleHosts = widget?.styleUrl ? [new URL(widget.styleUrl).origin] : [];
  const looks = new Set([...widgetHosts, ...widgetStyleHosts]);
  return [
    "default-src 'none'",
    directive("script-src", nonce && `'self' 'nonce-${nonce}'`, ...widgetHosts),
    directive("style-src", styles, ...looks),
    directive("img-src", "'self' data:", ...looks),
    directive("connect-src", nonce && "'self'", ...widgetHosts),
    ...(widget ? [directive("frame-src", ...widgetHosts)] : []),
    directive("form-action", "'self'", ...formTargets, ...widgetHosts),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "manifest-src 'self'",
  ].join("; ");
}

function directive(name: string, ...sources: (string | undefined)[]): string {
  return [name, ...(sources.some(Boolean) ? sources.filter(Boolean) : ["'none'"])].join(" ");
}
