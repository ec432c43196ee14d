/**
 * First segments of the paths that a redirect may lead to: visible pages that have no effect when opened. Not `/auth/…`,
 * which begins and ends sign-ins, no endpoints, and none of the pages for signing in and out.
 */
const PAGES = new Set([
  "",
  "features",
  "why-different",
  "pricing",
  "faq",
  "privacy",
  "terms",
  "contact",
  "waitlist",
  "forgot-password",
  "reset-password",
  "verify-email",
  "subscription",
  "dashboard",
  "test-promo",
  "account",
]);

/**
 * Returns `path` when it is a page of this site that is safe to redirect to, otherwise `fallback`. Parsed as a browser
 * does, so that `//evil.example`, `/\evil.example` and control characters do not lead to another site. Percent-encoding
 * is refused, because no page needs it and `/%61uth/` or `/account/..%2fauth/` would disguise another path.
 */
export function safePath(path: unknown, fallback: string): string {
  if (typeof path !== "string" || !path.startsWith("/") || path.length > 2000) return fallback;
  const base = "http://same.invalid";
  const url = URL.parse(path, base);
  if (url?.origin !== base || url.pathname.includes("%")) return fallback;
  const [, page = "", ...below] = url.pathname.split("/");
  const isPage = PAGES.has(page.toLowerCase()) && (page !== "" || below.length === 0);
  return isPage ? url.pathname + url.search : fallback;
}

/** The same for an absolute URL on this site, which is what the hosted app gets as its return address. */
export function safeReturn(address: unknown, publicOrigin: string, fallback: string): string {
  const isOurs = typeof address === "string" && address.startsWith(`${publicOrigin}/`);
  return safePath(isOurs ? address.slice(publicOrigin.length) : address, fallback);
}

/** The sign-in page, leading back to `returnTo`. `reason`: why it says that signing in is needed. */
export function loginPath(returnTo: string, reason?: "promo" | "subscribe" | "cookies"): string {
  const query = new URLSearchParams({ return_to: safePath(returnTo, "/dashboard") });
  if (reason) query.set("reason", reason);
  return `/login?${query}`;
}
