/** Sent with every answer of the app (OWASP Secure Headers). */
export function applySecurityHeaders(headers: Headers, isHttps: boolean): void {
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "strict-origin-when-cross-origin");
  headers.set("X-Frame-Options", "DENY");
  headers.set("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
  headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
  if (isHttps) headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
}

/**
 * The policy of one page. A page that is not hydrated may run no script at all.
 *
 * @param formTargets origins a form may lead to after its redirects: browsers apply form-action to those too
 */
export function contentSecurityPolicy(options: {
  nonce: string | undefined;
  styles: string;
  formTargets: readonly string[];
}): string {
  const scripts = options.nonce ? `'self' 'nonce-${options.nonce}'` : "'none'";
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${options.styles}`,
    "img-src 'self' data:",
    `connect-src ${options.nonce ? "'self'" : "'none'"}`,
    `form-action ${["'self'", ...options.formTargets].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "manifest-src 'self'",
  ].join("; ");
}
