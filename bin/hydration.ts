/**
 * Finds what does nothing because its page is not hydrated: hooks that wait for the browser, handlers, and styles imported for their effect.
 * Part of `npm run check`.
 *
 * A page is judged with every file that only pages without scripts reach by imports. What a hydrated page, the root or an island reaches,
 * too, may have hooks for those: a form is sent by React on one page and by the browser on another.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RouteConfigEntry } from "@react-router/dev/routes";
import { PUBLIC_PAGES } from "../app/marketing/pages.ts";
import routes from "../app/routes.ts";
import { type Module, readModule } from "./hydration/module.ts";

const ROOT = join(import.meta.dirname, "..");

interface Page {
  path: string;
  /** Its route module, below those around it. */
  files: string[];
  isHydrated: boolean;
}

/**
 * Judges the pages of routes.ts.
 *
 * @param moduleOf says what is in a file, by its path from the root
 * @param islands the files that are bundled for a page by themselves
 * @returns a sentence for each thing that does nothing, and for each `handle` that is not what it seems
 */
export function findUnhydrated(moduleOf: (file: string) => Module, islands: readonly string[]): string[] {
  const pages = pagesOf(routes, moduleOf);
  const reach = (from: readonly string[]) => reachedFrom(from, moduleOf);
  const alive = reach([
    "app/root.tsx",
    ...islands,
    ...pages.filter(({ isHydrated }) => isHydrated).flatMap(({ files }) => files),
  ]);
  const still = pages.filter(({ isHydrated }) => !isHydrated);
  const judged = new Map<string, Page[]>();
  for (const page of still)
    for (const file of reach(page.files))
      if (!alive.has(file)) judged.set(file, [...(judged.get(file) ?? []), page]);
  return [
    ...[...judged].flatMap(([file, its]) =>
      deadParts(file, moduleOf).map(({ line, what }) => `${file}:${line}: ${what} ${adviceFor(its)}`),
    ),
    ...pages.flatMap(({ path, files, isHydrated }) =>
      isHydrated && isKept(path)
        ? [
            `${files.at(-1)}: ${path} is kept in memory (app/marketing/pages.ts) and cannot be hydrated. ${ISLAND}`,
          ]
        : [],
    ),
    ...[...new Set(pages.flatMap(({ files }) => files))]
      .filter((file) => moduleOf(file).handle?.isTyped === false)
      .map(
        (file) =>
          `${file}: write \`export const handle: RouteHandle = …\`, or a misspelled field does nothing`,
      ),
  ];
}

const ISLAND = "Make it an island, as app/marketing/try-it is (CONTRIBUTING.md, An interactive component).";

/** What to write instead. */
function adviceFor([page, ...others]: readonly Page[]): string {
  if (!page) return "";
  const where = `${page.path}${others.length > 0 ? ` and ${others.length} more` : ""}, which has no scripts.`;
  if (isKept(page.path)) return `${where} ${ISLAND}`;
  return `${where} Write \`export const handle: RouteHandle = { hydrate: true }\` in ${page.files.at(-1)} (CONTRIBUTING.md, An interactive component).`;
}

const isKept = (path: string) => PUBLIC_PAGES.some((page) => page.path === path);

/** The pages below some routes. A route's `handle` overrides those around it, as `handleOf` has it. */
function pagesOf(
  entries: readonly RouteConfigEntry[],
  moduleOf: (file: string) => Module,
  around: Page = { path: "", files: [], isHydrated: false },
): Page[] {
  return entries.flatMap(({ path = "", file, children = [] }) => {
    const name = `app/${file}`;
    const { handle, hasDefault } = moduleOf(name);
    const page = {
      path: `${around.path}/${path}`.replace(/\/$/, "") || "/",
      files: [...around.files, name],
      isHydrated: handle?.hydrate ?? around.isHydrated,
    };
    if (children.length > 0) return pagesOf(children, moduleOf, { ...page, path: path && page.path });
    return hasDefault ? [page] : [];
  });
}

/** The files themselves and what they import, as far as it reaches browsers. */
function reachedFrom(files: readonly string[], moduleOf: (file: string) => Module): Set<string> {
  const reached = new Set(files);
  for (const file of reached)
    for (const to of moduleOf(file).imports) if (!/\.server\.tsx?$/.test(to)) reached.add(to);
  return reached;
}

function deadParts(file: string, moduleOf: (file: string) => Module): { line: number; what: string }[] {
  const { calls, handlers, sheets } = moduleOf(file);
  return [
    ...calls
      .filter(({ hook, from }) => waitsForBrowser(hook, from, moduleOf))
      .map(({ line, hook }) => ({ line, what: `${hook} does nothing on` })),
    ...handlers.map(({ line, name }) => ({ line, what: `${name} is never called on` })),
    ...sheets.map(({ line, path }) => ({ line, what: `the styles of ${path} are not loaded on` })),
  ];
}

/** Those of React and React Router that have all they do done when the server has rendered. */
const OF_RENDERING = new Set(
  `use useId useMemo useCallback useContext useRef useDebugValue
  useActionData useFormAction useHref useLoaderData useLocation useMatch useMatches useNavigationType useOutlet
  useOutletContext useParams useResolvedPath useRouteError useRouteLoaderData useSearchParams`.split(/\s+/),
);

/** @param from the file that a hook of our own is in; `null`: a package's */
function waitsForBrowser(
  hook: string,
  from: string | null,
  moduleOf: (file: string) => Module,
  asked: ReadonlySet<string> = new Set(),
): boolean {
  if (from === null) return !OF_RENDERING.has(hook);
  const key = `${from} ${hook}`;
  if (asked.has(key)) return false;
  const { calls } = moduleOf(from);
  return calls.some(
    (call) =>
      call.within === hook && waitsForBrowser(call.hook, call.from, moduleOf, new Set([...asked, key])),
  );
}

/** @returns what is in a file of the site, which is read once */
export function createReader(): (file: string) => Module {
  const known = new Map<string, Module>();
  return (file) => {
    const module = known.get(file) ?? readModule(file, readFileSync(join(ROOT, file), "utf8"));
    known.set(file, module);
    return module;
  };
}

/** The entries of the islands in vite.config.ts. */
export function readIslands(): string[] {
  const config = readFileSync(join(ROOT, "vite.config.ts"), "utf8");
  return [...config.matchAll(/island\("[^"]+", "([^"]+)"/g)].map(([, file = ""]) => file);
}

if (import.meta.main) {
  const wrong = findUnhydrated(createReader(), readIslands());
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
  else console.log("what needs React in the browser is on pages that have it");
}
