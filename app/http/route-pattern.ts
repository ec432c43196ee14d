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

/**
 * `/admin/people/:id`, ranked as React Router does: in each segment a literal, a parameter, the rest. Its own `matchRoutes` ranks all
 * routes anew each time, which takes a millisecond.
 */
export function createPatternFinder(patterns: readonly string[]): (pathname: string) => string {
  const ranked = patterns
    .filter((pattern) => pattern !== "*")
    .map((pattern) => ({ pattern: `/${pattern}`, parts: partsOf(pattern), rank: rankOf(pattern) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return (pathname) => {
    const segments = partsOf(pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/"));
    return ranked.find(({ parts }) => isMatch(parts, segments))?.pattern ?? NOT_FOUND;
  };
}

const partsOf = (path: string) => path.split("/").filter((part) => part !== "");

/** A digit for each segment, the lowest for a literal. */
function rankOf(pattern: string): string {
  return partsOf(pattern)
    .map((part) => (part === "*" ? 2 : part.startsWith(":") ? 1 : 0))
    .join("");
}

function isMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  const isRest = pattern.at(-1) === "*";
  if (isRest ? segments.length < pattern.length - 1 : segments.length !== pattern.length) return false;
  return pattern.every((part, at) => part === "*" || part === segments[at] || part.startsWith(":"));
}
