import type { ServerBuild } from "react-router";

type Routes = ServerBuild["routes"];

/** Without a leading slash. */
export function patternsOf(routes: Routes): string[] {
  return Object.keys(routes).map((id) => patternOf(routes, id));
}

function patternOf(routes: Routes, id: string): string {
  const route = routes[id];
  return [route?.parentId && patternOf(routes, route.parentId), route?.path].filter(Boolean).join("/");
}

const NOT_FOUND = "(not found)";

export interface FoundRoute {
  /** `/admin/people/:id`. */
  pattern: string;
  /** How the path is spelled; `null`: like this. */
  canonical: string | null;
}

/**
 * Ranked as React Router does: in each segment a literal, a parameter, the rest. Its own `matchRoutes` ranks all routes anew each time,
 * which takes a millisecond. Like it, this matches other case, trailing slashes and percent-encoding, which code that compares paths would
 * miss.
 */
export function createRouteFinder(patterns: readonly string[]): (pathname: string) => FoundRoute {
  const ranked = patterns
    .filter((pattern) => pattern !== "*")
    .map((pattern) => ({ pattern: `/${pattern}`, parts: partsOf(pattern), rank: rankOf(pattern) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return (pathname) => {
    const page = pathname.replace(/\.data$/, "");
    const segments = page === "/_root" ? [] : partsOf(page);
    const read = segments.map(readSegment);
    const found = ranked.find(({ parts }) => isMatch(parts, read));
    if (!found) return { pattern: NOT_FOUND, canonical: null };
    const { pattern, parts } = found;
    if (parts.at(-1) === "*" || !/[A-Z%]|.\/$/.test(pathname)) return { pattern, canonical: null };
    const spelled = parts.map((part, at) => (part.startsWith(":") ? segments[at] : part));
    const canonical = `/${spelled.join("/")}${pathname.slice(page.length)}`;
    return { pattern, canonical: canonical === pathname ? null : canonical };
  };
}

const partsOf = (path: string) => path.split("/").filter((part) => part !== "");

/** A digit for each segment, the lowest for a literal. */
function rankOf(pattern: string): string {
  return partsOf(pattern)
    .map((part) => (part === "*" ? 2 : part.startsWith(":") ? 1 : 0))
    .join("");
}

/** One that cannot be decoded matches no literal. */
function readSegment(segment: string): string {
  try {
    return decodeURIComponent(segment).toLowerCase();
  } catch {
    return segment;
  }
}

function isMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  const isRest = pattern.at(-1) === "*";
  if (isRest ? segments.length < pattern.length - 1 : segments.length !== pattern.length) return false;
  return pattern.every(
    (part, at) => part === "*" || part.toLowerCase() === segments[at] || part.startsWith(":"),
  );
}
