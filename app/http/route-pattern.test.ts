import { matchRoutes } from "react-router";
import { expect, test } from "vitest";
import routes from "../routes.ts";
import { createPatternFinder } from "./route-pattern.ts";

interface Entry {
  path?: string | undefined;
  children?: Entry[] | undefined;
}

const pathsOf = (entries: readonly Entry[], above = ""): string[] =>
  entries.flatMap(({ path, children = [] }) => {
    const own = [above, path].filter(Boolean).join("/");
    return [own, ...pathsOf(children, own)];
  });

const patterns = pathsOf(routes);
const patternOf = createPatternFinder(patterns);
/** As React Router itself says. */
const matched = (path: string) => {
  const found = matchRoutes(
    patterns.map((pattern) => ({ path: `/${pattern}` })),
    path,
  );
  return found?.at(-1)?.route.path;
};

test("a path has the pattern that React Router finds", () => {
  const paths = patterns.map((pattern) => `/${pattern}`.replaceAll(/:\w+|\*/g, "mail"));
  for (const path of [
    ...paths,
    "/admin/mail/templates",
    "/admin/mail/7",
    "/v1/unknown/deeper",
    "/admin/people/1/export",
  ]) {
    const expected = matched(path);
    expect([path, patternOf(path)]).toEqual([path, expected === "/*" ? "(not found)" : expected]);
  }
  expect(patterns.length).toBeGreaterThan(80);
});

test("the data of a page counts as the page, and all unknown paths are one pattern", () => {
  expect(patternOf("/dashboard.data")).toBe("/dashboard");
  expect(patternOf("/_root.data")).toBe("/");
  for (const path of ["/nowhere", "/nowhere/at/all", "/admin/people/1/nowhere", "/auth/popup"])
    expect(patternOf(path)).toBe("(not found)");
});
