import { createHash } from "node:crypto";
import type { WaitlistWidget } from "../config/waitlist-widget.ts";

/** The headers of every response, whatever makes it: types are not guessed, and HTTPS only, for a year (RFC 6797). */
export function commonHeaders(isHttps: boolean): Map<string, string> {
  const headers = new Map([["X-Content-Type-Options", "nosniff"]]);
  if (isHttps) headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  return headers;
}

/** The policy of what is not a page: opened as one, it loads nothing, and no page may frame it. */
const NO_PAGE = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The headers of a plain text that is made outside of the app. */
export const PLAIN_TEXT = {
  "Content-Type": "text/plain; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": NO_PAGE,
};

/**
 * Sets the security headers (OWASP Secure Headers) of every response of the app, leaving out those without effect, since
 * each slows down answers from memory: a page whose policy allows no script can use neither a camera nor its opener. An opener
 * policy is for pages where people sign in: browsers change to another process for it, which a first visit would wait for
 * (decision 0063). A response may set its own referrer and opener policy.
 */
export function applySecurityHeaders(headers: Headers, isHttps: boolean): void {
  for (const [name, value] of commonHeaders(isHttps)) headers.set(name, value);
  const policy = headers.get("Content-Security-Policy") ?? NO_PAGE;
  headers.set("Content-Security-Policy", policy);
  if (!policy.includes("script-src 'none'")) {
    if (!headers.has("Referrer-Policy")) headers.set("Referrer-Policy", "strict-origin-when-cross-origin");
    if (!headers.has("Cross-Origin-Opener-Policy") && !isInlineScriptOnly(policy))
      headers.set("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
    if (policy !== NO_PAGE)
      headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
  }
}

/** Whether the policy is of a page whose only script is inline, known by its hash. */
function isInlineScriptOnly(policy: string): boolean {
  return policy.includes("script-src 'self' 'sha256-");
}

/** The source expression that allows one inline style or script by the hash of its text (CSP Level 3 §6.7.3.3). */
export function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/**
 * The Content-Security-Policy of one page. A page without the account's script may run none except an inline one known by
 * its hash and what that imports from this site; neither may connect anywhere.
 *
 * @param formTargets origins a form may lead to, redirects included: browsers apply form-action to those too
 * @param hasPhotos whether the page shows users' photos, which may come from any https origin
 * @param hasFrames whether the page shows others of this site in frames
 * @param connectTargets other origins the page's scripts may connect to
 * @param widget the third-party waitlist on this page, whose hosts are allowed what it needs
 */
export function contentSecurityPolicy(options: {
  publicOrigin: string;
  /** The source expression, 'sha256-…'. */
  inlineScriptHash?: string;
  /** Of a page that React hydrates: its framework's scripts have it and connect to this site, its components may write style attributes, and style elements with it. */
  nonce?: string;
  /** While developing: Vite's client and the styles that it adds have it, and it connects to the server. */
  viteNonce?: string;
  styles: string;
  formTargets: readonly string[];
  hasPhotos?: boolean;
  hasFrames?: boolean;
  connectTargets?: readonly string[];
  widget: WaitlistWidget | null;
}): string {
  const { publicOrigin, inlineScriptHash, nonce, viteNonce, styles, formTargets, widget } = options;
  const { hasPhotos, hasFrames, connectTargets = [] } = options;
  const scriptNonce = nonce ?? viteNonce;
  const widgetHosts = widget ? [new URL(widget.scriptUrl).origin] : [];
  const widgetStyleHosts = widget?.styleUrl ? [new URL(widget.styleUrl).origin] : [];
  const imageAndStyleHosts = new Set([...widgetHosts, ...widgetStyleHosts]);
  const named = widget?.hosts;
  const fontHosts = named?.font ?? [];
  /** The allowed sources by directive; empty: none. Omitted where the default is the same. */
  const sources: Record<string, (string | false | undefined)[] | false> = {
    // Firefox lets a page fetch ahead, as React Router does on intent, what its default allows.
    "default-src": [nonce && "'self'"],
    "object-src": nonce !== undefined && [],
    "script-src": [
      (scriptNonce || inlineScriptHash) && "'self'",
      inlineScriptHash,
      scriptNonce && `'nonce-${scriptNonce}'`,
      ...widgetHosts,
      ...(named?.script ?? []),
    ],
    // Beside a hash a browser ignores 'unsafe-inline', which allows what the hash does.
    "style-src": [
      widget?.hasInlineStyles ? "'unsafe-inline'" : styles,
      viteNonce && "'self'",
      scriptNonce && !widget?.hasInlineStyles && `'nonce-${scriptNonce}'`,
      ...imageAndStyleHosts,
      ...(named?.style ?? []),
    ],
    "img-src": ["'self' data:", hasPhotos && "https:", ...imageAndStyleHosts, ...(named?.image ?? [])],
    "style-src-attr": nonce !== undefined && ["'unsafe-inline'"],
    // Vite writes a small font into the styles as data, like a small image.
    "font-src": ["'self'", nonce && "data:", ...fontHosts],
    "connect-src": [
      // Lighthouse fetches robots.txt from the page's context. Nothing can be leaked by a request to our own.
      scriptNonce ? "'self'" : `${publicOrigin}/robots.txt`,
      ...connectTargets,
      ...widgetHosts,
      ...(named?.connect ?? []),
    ],
    "frame-src": (widget !== null || hasFrames === true) && [
      hasFrames && "'self'",
      ...widgetHosts,
      ...(named?.frame ?? []),
    ],
    // Once the connection is lost, Vite's client waits for the server in a worker.
    "worker-src": viteNonce !== undefined && ["blob:"],
    "form-action": ["'self'", ...formTargets, ...widgetHosts],
    "frame-ancestors": [],
    "base-uri": [],
    "manifest-src": ["'self'"],
  };
  return Object.entries(sources)
    .flatMap(([name, allowed]) =>
      allowed ? [`${name} ${allowed.filter(Boolean).join(" ") || "'none'"}`] : [],
    )
    .join("; ");
}
