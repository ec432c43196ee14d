import { createHash } from "node:crypto";
import type { WaitlistWidget } from "../config/config.server.ts";

/** For a year this host is asked by https only (RFC 6797). */
export const HSTS = "max-age=31536000; includeSubDomains";

/**
 * Sent with every answer of the app (OWASP Secure Headers), as far as it says something: every header costs node:http
 * some of the speed at which it answers from memory. A page whose policy allows no script can neither use a camera nor
 * be reached by whoever opened it, and `frame-ancestors` is what browsers read instead of X-Frame-Options. An answer
 * may name a referrer policy or an opener policy of its own.
 */
export function applySecurityHeaders(headers: Headers, isHttps: boolean): void {
  const policy = headers.get("Content-Security-Policy") ?? "";
  headers.set("X-Content-Type-Options", "nosniff");
  if (!policy.includes("frame-ancestors")) headers.set("X-Frame-Options", "DENY");
  if (!policy.includes("script-src 'none'")) {
    if (!headers.has("Referrer-Policy")) headers.set("Referrer-Policy", "strict-origin-when-cross-origin");
    if (!headers.has("Cross-Origin-Opener-Policy"))
      headers.set("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
    headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
  }
  if (isHttps) headers.set("Strict-Transport-Security", HSTS);
}

/** What allows one inline style or script in a policy: its text, and no other (CSP Level 3 §6.7.3.3). */
export function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/**
 * The policy of one page. A page that is not hydrated may run no script at all, but for an inline one known by its hash
 * and what that imports from this site; neither may send anything.
 *
 * @param formTargets origins a form may lead to after its redirects: browsers apply form-action to those too
 * @param hasPhotos people's photos are on this page, which may be anywhere on the encrypted web
 * @param connectTargets other origins its scripts may send to
 * @param widget the third party whose waitlist is on this page: its hosts, and no others, may do what it does
 */
export function contentSecurityPolicy(options: {
  publicOrigin: string;
  nonce: string | undefined;
  /** As a source expression, 'sha256-…'. */
  inlineScriptHash?: string;
  styles: string;
  formTargets: readonly string[];
  hasPhotos?: boolean;
  connectTargets?: readonly string[];
  widget: WaitlistWidget | null;
}): string {
  const { publicOrigin, nonce, inlineScriptHash, styles, formTargets, widget } = options;
  const { hasPhotos, connectTargets = [] } = options;
  // Lighthouse asks for it in the page's name; a script that may ask for nothing else can tell nobody anything.
  const readableAnyway = `${publicOrigin}/robots.txt`;
  const inlineScript = nonce ? `'nonce-${nonce}'` : inlineScriptHash;
  const widgetHosts = widget ? [new URL(widget.scriptUrl).origin] : [];
  const widgetStyleHosts = widget?.styleUrl ? [new URL(widget.styleUrl).origin] : [];
  const looks = new Set([...widgetHosts, ...widgetStyleHosts]);
  return [
    "default-src 'none'",
    directive("script-src", inlineScript && `'self' ${inlineScript}`, ...widgetHosts),
    directive("style-src", styles, ...looks),
    directive("img-src", "'self' data:", hasPhotos ? "https:" : undefined, ...looks),
    directive("connect-src", nonce ? "'self'" : readableAnyway, ...connectTargets, ...widgetHosts),
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
