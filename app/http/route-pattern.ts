import type { ServerBuild } from "react-router";

type Routes = ServerBuild["routes"];

/** The full path patterns of all routes, without a leading slash. */
export function patternsOf(routes: Routes): string[] {
  return Object.keys(routes).map((id) => patternOf(routes, id));
}

function patternOf(routes: Routes, id: string): string {
  const route = routes[id];
  return [route?.parentId && patternOf(routes, route.parentId), route?.path].filter(Boolean).join("/");
}

/** The route that is logged when none matches. */
const NOT_FOUND = "(not found)";

/**
 * Finds the pattern that a path matches, `/admin/people/:id`, as React Router ranks them: in each segment a literal comes before a
 * parameter, and a parameter before the rest of the path.
 *
 * @param patterns the paths of all routes in React Router's notation, without a leading slash
 * @returns a function from a pathname, of a page or of its data, to one of the patterns
 */
export function createPatternFinder(patterns: readonly string[]): (pathname: string) => string {
  const ranked = patterns
    .filter((pattern) => pattern !== "*")
    .map((pattern) => ({ pattern: `/${pattern}`, parts: partsOf(pattern), rank: rankOf(pattern) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return (pathname) => {
    const asked = partsOf(pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/"));
    return ranked.find(({ parts }) => isMatch(parts, asked))?.pattern ?? NOT_FOUND;
  };
}

const partsOf = (path: string) => path.split("/").filter((part) => part !== "");

/** A digit for each segment, the lowest for a literal. */
function rankOf(pattern: string): string {
  return partsOf(pattern)
    .map((part) => (part === "*" ? 2 : part.startsWith(":") ? 1 : 0))
    .join("");
}

function isMatch(pattern: readonly string[], asked: readonly string[]): boolean {
  const isRest = pattern.at(-1) === "*";
  if (isRest ? asked.length < pattern.length - 1 : asked.length !== pattern.length) return false;
  return pattern.every((part, at) => part === "*" || part === asked[at] || part.startsWith(":"));
}
