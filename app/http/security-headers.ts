import { createHash } from "node:crypto";

/** Sent with every answer of the app (OWASP Secure Headers). */
export function applySecurityHeaders(headers: Headers, isHttps: boolean): void {
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "strict-origin-when-cross-origin");
  headers.set("X-Frame-Options", "DENY");
  headers.set("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
  headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
  if (isHttps) headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
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
 */
export function contentSecurityPolicy(options: {
  nonce: string | undefined;
  /** As a source expression, 'sha256-…'. */
  inlineScriptHash: string | undefined;
  styles: string;
  formTargets: readonly string[];
}): string {
  const inlineScript = options.nonce ? `'nonce-${options.nonce}'` : options.inlineScriptHash;
  return [
    "default-src 'none'",
    `script-src ${inlineScript ? `'self' ${inlineScript}` : "'none'"}`,
    `style-src ${options.styles}`,
    "img-src 'self' data:",
    `connect-src ${options.nonce ? "'self'" : "'none'"}`,
    `form-action ${["'self'", ...options.formTargets].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "manifest-src 'self'",
  ].join("; ");
}
