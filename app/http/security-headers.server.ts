import { createHash } from "node:crypto";
import type { WaitlistWidget } from "../config/waitlist-widget.ts";

/** For every response: no type sniffing, and HTTPS only, for a year (RFC 6797). */
export function commonHeaders(isHttps: boolean): Map<string, string> {
  const headers = new Map([["X-Content-Type-Options", "nosniff"]]);
  if (isHttps) headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  return headers;
}

/** For what is not a page: opened as one, it loads nothing, and no page may frame it. */
const NO_PAGE = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

export const PLAIN_TEXT = {
  "Content-Type": "text/plain; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": NO_PAGE,
};

/** OWASP's, without those that have no effect: each costs time. An opener policy only where people sign in (decision 0063). */
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

function isInlineScriptOnly(policy: string): boolean {
  return policy.includes("script-src 'self' 'sha256-");
}

/** Allows one inline style or script (CSP Level 3 §6.7.3.3). */
export function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/**
 * Without the account's script, a page may run only an inline one known by its hash and what that imports; neither may connect
 * anywhere.
 * @param formTargets origins a form may lead to, redirects included: browsers apply form-action to those too
 * @param hasPhotos allows users' photos from any https origin
 * @param connectTargets other origins the page's scripts may connect to
 * @param widget the third-party waitlist on this page
 */
export function contentSecurityPolicy(options: {
  publicOrigin: string;
  /** 'sha256-…' */
  inlineScriptHash?: string;
  /** Of a hydrated page: scripts with it run and connect to this site; its components may write style attributes. */
  nonce?: string;
  /** For Vite's client while developing. */
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
  /** Omitted where the default is the same. */
  const sources: Record<string, (string | false | undefined)[] | false> = {
    // Firefox prefetches only what the default allows.
    "default-src": [nonce && "'self'"],
    "object-src": nonce !== undefined && [],
    "script-src": [
      (scriptNonce || inlineScriptHash) && "'self'",
      inlineScriptHash,
      scriptNonce && `'nonce-${scriptNonce}'`,
      ...widgetHosts,
      ...(named?.script ?? []),
    ],
    // Beside a hash a browser ignores 'unsafe-inline'.
    "style-src": [
      widget?.hasInlineStyles ? "'unsafe-inline'" : styles,
      viteNonce && "'self'",
      scriptNonce && !widget?.hasInlineStyles && `'nonce-${scriptNonce}'`,
      ...imageAndStyleHosts,
      ...(named?.style ?? []),
    ],
    "img-src": ["'self' data:", hasPhotos && "https:", ...imageAndStyleHosts, ...(named?.image ?? [])],
    "style-src-attr": nonce !== undefined && ["'unsafe-inline'"],
    // Vite inlines small fonts.
    "font-src": ["'self'", nonce && "data:", ...fontHosts],
    "connect-src": [
      // Lighthouse fetches robots.txt from the page's context. A request to our own leaks nothing.
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
    // Vite's client waits for a lost server in a worker.
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
