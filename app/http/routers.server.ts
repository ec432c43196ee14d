import { createRequestHandler, type RequestHandler, type ServerBuild } from "react-router";

type Routes = ServerBuild["routes"];

/**
 * React Router's handler for a route pattern: of a build with the route, what it lies in, and nothing else. React Router
 * tries a path on one route after the other, makes each of them anew for every page, and this site has a hundred.
 *
 * @param build what is answered by it when a path has no pattern of its own
 * @returns a function from a pattern, `/admin/people/:id`, to what answers it
 */
export function createRouters(
  build: ServerBuild,
  mode: "production" | "development",
): (pattern: string) => RequestHandler {
  const whole = createRequestHandler(build, mode);
  const chains = chainsOf(build.routes);
  const made = new Map<string, RequestHandler>();
  return (pattern) => {
    const known = made.get(pattern);
    if (known) return known;
    const ids = chains.get(pattern);
    if (!ids) return whole;
    const router = createRequestHandler(withOnly(build, ids), mode);
    made.set(pattern, router);
    return router;
  };
}

/** The full path patterns of all routes, without a leading slash. */
export function patternsOf(routes: Routes): string[] {
  return Object.keys(routes).map((id) => patternOf(routes, id));
}

/** The routes of each pattern that is not for whatever follows: its own and those it lies in. */
function chainsOf(routes: Routes): Map<string, string[]> {
  const ends = Object.values(routes).filter((route) => route && (route.index || route.path !== undefined));
  const patterns = ends.map((route): [string, string[]] => {
    const id = route?.id ?? "";
    return [`/${patternOf(routes, id)}`, [...ancestorsOf(routes, id), id]];
  });
  return new Map(
    patterns.filter(([pattern, ids]) => !pattern.includes("*") && isOnly(patterns, pattern, ids)),
  );
}

/** Not where two routes are in question: which of them it is, React Router decides. */
function isOnly(all: [string, string[]][], pattern: string, ids: string[]): boolean {
  return all.every(([other, others]) => other !== pattern || others === ids);
}

function ancestorsOf(routes: Routes, id: string): string[] {
  const parent = routes[id]?.parentId;
  return parent ? [...ancestorsOf(routes, parent), parent] : [];
}

function patternOf(routes: Routes, id: string): string {
  return [...ancestorsOf(routes, id), id].flatMap((each) => routes[each]?.path || []).join("/");
}

function withOnly(build: ServerBuild, ids: string[]): ServerBuild {
  const only = <Route>(routes: Record<string, Route>) =>
    Object.fromEntries(Object.entries(routes).filter(([id]) => ids.includes(id)));
  return {
    ...build,
    routes: only(build.routes),
    assets: { ...build.assets, routes: only(build.assets.routes) },
  };
}
