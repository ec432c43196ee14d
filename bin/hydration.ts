/**
 * Finds what does nothing because its page is not hydrated: hooks that wait for the browser, handlers, and imported style sheets.
 * Part of `npm run check`. Judges each file that only pages without scripts import; what a hydrated page, the root or an island
 * imports, too, may have hooks for those.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { RouteConfigEntry } from "@react-router/dev/routes";
import { PUBLIC_PAGES } from "../app/marketing/pages.ts";
import routes from "../app/routes.ts";

const ROOT = join(import.meta.dirname, "..");
const ISLAND =
  "Make it an island, as app/marketing/try-it is (docs/CONTRIBUTING.md, An interactive component).";
/** Hooks of React, of React Router and of ours that have done all they do when the server has rendered. */
const OF_RENDERING = new Set(
  `useId useMemo useCallback useContext useRef useDebugValue
  useActionData useFormAction useHref useLoaderData useLocation useMatch useMatches useNavigationType useOutlet
  useOutletContext useParams useResolvedPath useRouteError useRouteLoaderData useSearchParams
  useFeatures useRoot useRouteForm useSite`.split(/\s+/),
);

/** The text of a source file, by its path from the root. */
type ReadSource = (file: string) => string;

interface Page {
  path: string;
  /** Its route module, below those around it. */
  files: string[];
  isHydrated: boolean;
}

/**
 * Judges the pages of routes.ts.
 *
 * @param islands the files that are bundled for a page by themselves
 * @returns a sentence for each thing that does nothing, and for each `handle` without its type
 */
export function findUnhydrated(read: ReadSource, islands: readonly string[]): string[] {
  const pages = pagesOf(routes, read);
  const hydrated = pages.filter(({ isHydrated }) => isHydrated);
  const alive = reachedFrom(["app/root.tsx", ...islands, ...hydrated.flatMap(({ files }) => files)], read);
  const judged = new Map<string, Page[]>();
  for (const page of pages.filter(({ isHydrated }) => !isHydrated))
    for (const file of reachedFrom(page.files, read))
      if (!alive.has(file)) judged.set(file, [...(judged.get(file) ?? []), page]);
  return [
    ...[...judged].flatMap(([file, of]) =>
      deadParts(read(file)).map((what) => `${file}: ${what} ${adviceFor(of)}`),
    ),
    ...hydrated
      .filter(({ path }) => isKept(path))
      .map(
        ({ path, files }) =>
          `${files.at(-1)}: ${path} is kept in memory (app/marketing/pages.ts) and cannot be hydrated. ${ISLAND}`,
      ),
    ...[...new Set(pages.flatMap(({ files }) => files))]
      .filter((file) => /export const handle\s*=/.test(read(file)))
      .map(
        (file) =>
          `${file}: write \`export const handle: RouteHandle = …\`, or a misspelled field does nothing`,
      ),
  ];
}

function deadParts(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const words = (pattern: RegExp) => [
    ...new Set(Array.from(code.matchAll(pattern), ([, word = ""]) => word)),
  ];
  return [
    ...words(/\b(use[A-Z]\w*)/g)
      .filter((hook) => !OF_RENDERING.has(hook))
      .map((hook) => `${hook} does nothing on`),
    ...words(/\s(on[A-Z]\w*)=\{/g).map((name) => `${name} is never called on`),
    ...words(/^\s*import "(.+\.css)"/gm).map((path) => `the styles of ${path} are not loaded on`),
  ];
}

/** What to write instead. */
function adviceFor([page, ...others]: readonly Page[]): string {
  if (!page) return "";
  const where = `${page.path}${others.length > 0 ? ` and ${others.length} more` : ""}, which has no scripts.`;
  if (isKept(page.path)) return `${where} ${ISLAND}`;
  return `${where} Write \`export const handle: RouteHandle = { hydrate: true }\` in ${page.files.at(-1)} (docs/CONTRIBUTING.md, An interactive component).`;
}

const isKept = (path: string) => PUBLIC_PAGES.some((page) => page.path === path);

/** The pages below some routes. A route's `handle` overrides those around it, as `handleOf` has it. */
function pagesOf(
  entries: readonly RouteConfigEntry[],
  read: ReadSource,
  around: Page = { path: "", files: [], isHydrated: false },
): Page[] {
  return entries.flatMap(({ path = "", file, children = [] }) => {
    const name = `app/${file}`;
    const [, hydrate] = /export const handle\b[^=]*= \{[^}]*\bhydrate: (true|false)/.exec(read(name)) ?? [];
    const page = {
      path: `${around.path}/${path}`.replace(/\/$/, "") || "/",
      files: [...around.files, name],
      isHydrated: hydrate ? hydrate === "true" : around.isHydrated,
    };
    if (children.length > 0) return pagesOf(children, read, { ...page, path: path && page.path });
    return /^export (default\b|\{ default)/m.test(read(name)) ? [page] : [];
  });
}

const IMPORT = /^\s*(?:import|export)\b(?! type\b)([^"';]*)["'](\.[^"']+)["']|\bimport\("(\.[^"]+)"\)/gm;

/** The files and what they import, except types and what only the server has. */
function reachedFrom(files: readonly string[], read: ReadSource): Set<string> {
  const reached = new Set(files);
  for (const file of reached)
    for (const [, names = "", path, lazyPath] of read(file).matchAll(IMPORT)) {
      const to = posix.join(posix.dirname(file), (path ?? lazyPath ?? "").replace(/\?.*$/, ""));
      const isTypes = /^\s*\{(\s*type \w[^,]*,?)+\s*\}/.test(names);
      if (!isTypes && /^app\/(?!.*\.server\.).*\.tsx?$/.test(to) && !to.includes("+types/")) reached.add(to);
    }
  return reached;
}

/** The entries of the islands in vite.config.ts. */
export function readIslands(): string[] {
  const config = readFileSync(join(ROOT, "vite.config.ts"), "utf8");
  return [...config.matchAll(/island\("[^"]+", "([^"]+)"/g)].map(([, file = ""]) => file);
}

/** @returns what reads a file of the site once */
export function createReader(): ReadSource {
  const known = new Map<string, string>();
  return (file) => {
    const text = known.get(file) ?? readFileSync(join(ROOT, file), "utf8");
    known.set(file, text);
    return text;
  };
}

if (import.meta.main) {
  const wrong = findUnhydrated(createReader(), readIslands());
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
  else console.log("what needs React in the browser is on pages that have it");
}
