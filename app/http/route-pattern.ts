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

/** Of requests that match no route but the page that says so. */
const NOT_FOUND = "(not found)";
/** The name of a parameter's branch. */
const ANY = ":";

/**
 * Finds the pattern that a path matches, `/admin/people/:id`, as React Router ranks them: segment by segment what is named comes
 * before a parameter, and a parameter before the rest of the path.
 *
 * @param patterns the paths of all routes in React Router's notation, without a leading slash
 * @returns a function from a pathname, of a page or of its data, to one of the patterns
 */
export function createPatternFinder(patterns: readonly string[]): (pathname: string) => string {
  const root: Branch = { named: new Map() };
  for (const pattern of patterns) {
    let branch = root;
    for (const part of pattern.split("/").filter((each) => each !== "")) {
      if (part === "*") branch.rest = pattern === "*" ? NOT_FOUND : `/${pattern}`;
      else branch = grow(branch, part.startsWith(":") ? ANY : part);
    }
    if (!pattern.endsWith("*")) branch.end = `/${pattern}`;
  }
  return (pathname) => {
    const path = pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
    return (
      walk(
        root,
        path.split("/").filter((part) => part !== ""),
      ) ?? NOT_FOUND
    );
  };
}

interface Branch {
  named: Map<string, Branch>;
  end?: string;
  rest?: string;
}

function grow({ named }: Branch, part: string): Branch {
  const branch = named.get(part) ?? { named: new Map() };
  named.set(part, branch);
  return branch;
}

function walk(branch: Branch | undefined, [part, ...others]: string[]): string | undefined {
  if (!branch) return undefined;
  if (part === undefined) return branch.end ?? branch.rest;
  for (const name of [part, ANY]) {
    const found = walk(branch.named.get(name), others);
    if (found) return found;
  }
  return branch.rest;
}
