/**
 * A path on this site that is safe to redirect to: `path` when it is one, otherwise `fallback`. Parsed the way
 * a browser does, so that `//evil.example`, `/\evil.example` and control characters do not lead away.
 */
export function safePath(path: unknown, fallback: string): string {
  if (typeof path !== "string" || !path.startsWith("/") || path.length > 2000) return fallback;
  const base = "http://same.invalid";
  const url = URL.parse(path, base);
  if (url?.origin !== base || url.pathname.startsWith("//")) return fallback;
  return url.pathname + url.search;
}

/** The same for a whole address on this site, which is what the hosted app was given as the way back. */
export function safeReturn(address: unknown, publicOrigin: string, fallback: string): string {
  const isOurs = typeof address === "string" && address.startsWith(`${publicOrigin}/`);
  return safePath(isOurs ? address.slice(publicOrigin.length) : address, fallback);
}

/** The sign-in page that leads back to `returnTo`; `reason` says there why signing in is needed. */
export function loginPath(returnTo: string, reason?: "promo" | "subscribe" | "cookies"): string {
  const query = new URLSearchParams({ return_to: safePath(returnTo, "/dashboard") });
  if (reason) query.set("reason", reason);
  return `/login?${query}`;
}
