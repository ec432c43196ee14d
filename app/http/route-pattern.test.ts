import { matchRoutes } from "react-router";
import { expect, test } from "vitest";
import routes from "../routes.ts";
import { createRouteFinder } from "./route-pattern.ts";

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
const find = createRouteFinder(patterns);
const patternOf = (path: string) => find(path).pattern;
const canonicalPath = (path: string) => find(path).canonical;
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

test.each([
  ["/faq/", "/faq"],
  ["/Faq", "/faq"],
  ["/%66aq", "/faq"],
  ["/ACCOUNT/Email/", "/account/email"],
  ["/Auth/Popup/Google", "/auth/popup/Google"],
  ["/auth/popup/a%2Fb/", "/auth/popup/a%2Fb"],
  ["/changelog/FEED.XML", "/changelog/feed.xml"],
  ["/blog/FEED.XML", "/blog/feed.xml"],
  ["/Blog/A-Post", "/blog/A-Post"],
  ["/Dashboard.data", "/dashboard.data"],
])("%s is spelled %s", (pathname, path) => expect(canonicalPath(pathname)).toBe(path));

test.each([
  "/",
  "/faq",
  "/auth/popup/Google",
  "/auth/popup/",
  "/nowhere/",
  "/Nowhere",
  "/api/",
  "/api/%zz",
  "/%zz",
  "/_root.data",
  "/admin/codes/A%20B.data",
  "/faq/x/",
  "/faq.data/",
])("%s is left as it is", (pathname) => expect(canonicalPath(pathname)).toBeNull());
