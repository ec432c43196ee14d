import { PATH_RULES } from "./path-rules.ts";

const PAGES: readonly string[] = PATH_RULES.returnPages;
/** In characters. */
export const MAX_PATH_LENGTH = 2000;

/** `path`, if it is safe to redirect to: a page that people can see, and whose opening changes nothing. */
export function safePath(path: unknown, fallback: string): string {
  const url = parsePath(path);
  if (!url) return fallback;
  const [, page = "", ...below] = url.pathname.split("/");
  const isPage = PAGES.includes(page.toLowerCase()) && (page !== "" || below.length === 0);
  return isPage ? url.pathname + url.search : fallback;
}

/** The hosted app sends absolute URLs. */
export function pathOnSite(address: unknown, publicOrigin: string): unknown {
  const isOurs = typeof address === "string" && address.startsWith(`${publicOrigin}/`);
  return isOurs ? address.slice(publicOrigin.length) : address;
}

/** @param reason why signing in is needed */
export function loginPath(returnTo: string, reason?: "promo" | "subscribe" | "cookies"): string {
  return withReturnTo("/login", returnTo, "/dashboard") + (reason ? `&reason=${reason}` : "");
}

export function secondFactorPath(returnTo: string): string {
  return withReturnTo("/login/second-factor", returnTo, "/dashboard");
}

/** Adds the way back. `fallback` replaces one too long for the 4 KB that some proxies allow headers. */
export function withReturnTo(path: string, returnTo: string, fallback: string): string {
  const url = parsePath(returnTo);
  return `${path}?${new URLSearchParams({ return_to: url ? url.pathname + url.search : fallback })}`;
}

/** Parsed as a browser does: `//evil.example`, `/\evil.example` and control characters lead elsewhere. No percent-encoding. */
function parsePath(path: unknown): URL | null {
  if (typeof path !== "string" || !path.startsWith("/") || path.length > MAX_PATH_LENGTH) return null;
  const base = "http://same.invalid";
  const url = URL.parse(path, base);
  return url?.origin === base && !url.pathname.includes("%") ? url : null;
}
