/** Of a path that signing in leads back to, in characters. */
export const MAX_PATH_LENGTH = 2000;

/** `path` when it is safe to redirect to, otherwise `fallback`. */
export type SafePath = (path: unknown, fallback: string) => string;

/**
 * Makes the one check of where people may be sent back to: pages they can see and whose opening changes nothing.
 *
 * @param pages first segments of the paths of those pages, in lower case
 */
export function createSafePath(pages: readonly string[]): SafePath {
  return (path, fallback) => {
    const url = parsePath(path);
    if (!url) return fallback;
    const [, page = "", ...below] = url.pathname.split("/");
    const isPage = pages.includes(page.toLowerCase()) && (page !== "" || below.length === 0);
    return isPage ? url.pathname + url.search : fallback;
  };
}

/** Converts an absolute URL of this site to its path, and returns anything else unchanged: the hosted app sends URLs. */
export function pathOnSite(address: unknown, publicOrigin: string): unknown {
  const isOurs = typeof address === "string" && address.startsWith(`${publicOrigin}/`);
  return isOurs ? address.slice(publicOrigin.length) : address;
}

/** The sign-in page, leading back to `returnTo`. `reason`: why it says that signing in is needed. */
export function loginPath(returnTo: string, reason?: "promo" | "subscribe" | "cookies"): string {
  const url = parsePath(returnTo);
  const query = new URLSearchParams({ return_to: url ? url.pathname + url.search : "/dashboard" });
  if (reason) query.set("reason", reason);
  return `/login?${query}`;
}

/** The page where a sign-in is finished with a second factor, leading on to `returnTo`. */
export function secondFactorPath(returnTo: string): string {
  return `/login/second-factor?${new URLSearchParams({ return_to: returnTo })}`;
}

/**
 * A path of this site, parsed as a browser does, so that `//evil.example`, `/\evil.example` and control characters do not
 * lead to another one. Percent-encoding is refused, because no page needs it and `/%61uth/` or `/account/..%2fauth/`
 * would disguise another path.
 */
function parsePath(path: unknown): URL | null {
  if (typeof path !== "string" || !path.startsWith("/") || path.length > MAX_PATH_LENGTH) return null;
  const base = "http://same.invalid";
  const url = URL.parse(path, base);
  return url?.origin === base && !url.pathname.includes("%") ? url : null;
}
