/**
 * The first parts of the paths that people may be sent back to: pages they can see, which opening does not change. Nothing of
 * `/auth/…`, whose addresses begin and end sign-ins, nothing that programs call, and not where people sign in or out.
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
 * A path to a page of this site that is safe to redirect to: `path` when it is one, otherwise `fallback`. Parsed the way
 * a browser does, so that `//evil.example`, `/\evil.example` and control characters do not lead away. No page needs an
 * escape in its path, so none is taken: `/%61uth/` and `/account/..%2fauth/` are other writings of something else.
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
