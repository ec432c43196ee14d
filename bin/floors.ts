/**
 * Checks the imports of the site against the floors of ARCHITECTURE.md. Part of `npm run check`.
 */
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseAst } from "vite";

/** The floors from top to bottom, with their rooms: the table of ARCHITECTURE.md. */
export type Floors = readonly { name: string; rooms: readonly string[] }[];

export interface Import {
  from: string;
  to: string;
}

const ROOT = join(import.meta.dirname, "..");

/**
 * Finds imports of a higher floor, circular imports between rooms of one floor or between files, and files whose room is
 * on no floor. Type imports count.
 *
 * @param files paths from the root. A room is a folder of `app/`, or a file that is listed by itself; `*.ts` is every
 *   other file that is in no folder
 * @returns a line for each, naming both files
 */
export function findWrongImports(
  floors: Floors,
  files: readonly string[],
  imports: readonly Import[],
): string[] {
  const heights = new Map(
    floors.toReversed().flatMap(({ rooms }, height) => rooms.map((room) => [room, height])),
  );
  const roomOf = (file: string) => {
    const path = file.replace(/^app\//, "");
    if (heights.has(path)) return path;
    return path.includes("/") ? `${path.split("/")[0]}/` : "*.ts";
  };
  const heightOf = (file: string) => heights.get(roomOf(file)) ?? 0;
  const unplaced = files.filter((file) => !heights.has(roomOf(file)));
  const upward = imports.filter(({ from, to }) => heightOf(from) < heightOf(to));
  const level = imports.filter(
    ({ from, to }) => roomOf(from) !== roomOf(to) && heightOf(from) === heightOf(to),
  );
  return [
    ...unplaced.map((file) => `${file} is in a room that is on no floor`),
    ...upward.map(({ from, to }) => `${from} imports ${to}, which is on a higher floor`),
    ...findCircles(level, roomOf).map(({ from, to }) => `${from} imports ${to}: a circle of rooms`),
    ...findCircles(imports, (file) => file).map(({ from, to }) => `${from} imports ${to}: a circle of files`),
  ];
}

/** The imports that are part of a cycle. */
function findCircles(imports: readonly Import[], nodeOf: (file: string) => string): Import[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const known = targets.get(nodeOf(from)) ?? new Set();
    targets.set(nodeOf(from), known.add(nodeOf(to)));
  }
  const reaches = (start: string, end: string): boolean => {
    const seen = new Set([start]);
    for (const node of seen) for (const next of targets.get(node) ?? []) seen.add(next);
    return seen.has(end);
  };
  return imports.filter(({ from, to }) => reaches(nodeOf(to), nodeOf(from)));
}

/** Parses the table of ARCHITECTURE.md: a row for each floor, its name in bold and its rooms in backticks. */
export function readFloors(markdown: string): Floors {
  return [...markdown.matchAll(/^\| \*\*(?<name>[^|*]+)\*\* +\| (?<rooms>[^|]+)\|/gm)].map(({ groups }) => ({
    name: groups?.name ?? "",
    rooms: [...(groups?.rooms ?? "").matchAll(/`([^`]+)`/g)].map(([, room]) => room ?? ""),
  }));
}

/** The source files of the site, without tests and fixtures, and the imports between them. */
export function readTree(): { files: string[]; imports: Import[] } {
  const files = globSync(["app/**/*.{ts,tsx}", "server*.ts"], { cwd: ROOT }).filter(
    (file) => !/\.(test|fixture)\.tsx?$/.test(file),
  );
  return { files, imports: files.flatMap(readImports) };
}

function readImports(from: string): Import[] {
  const code = readFileSync(join(ROOT, from), "utf8");
  const named = parse(from, code).body.map((statement) =>
    "source" in statement ? statement.source?.value : undefined,
  );
  const dynamic = [...code.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, path]) => path);
  return [...named, ...dynamic].flatMap((path) => {
    const to = path && importedFile(from, path);
    return to ? [{ from, to }] : [];
  });
}

/** The syntax tree of a source file. */
export function parse(file: string, code: string): ReturnType<typeof parseAst> {
  return parseAst(code, { lang: file.endsWith("x") ? "tsx" : "ts" });
}

/** The source file of the site that an import leads to, as a path from the root; `null`: a package, or no source. */
export function importedFile(from: string, path: string): string | null {
  if (!path.startsWith(".") || path.startsWith("./+types/")) return null;
  const to = posix.join(posix.dirname(from), path.replace(/\?.*$/, ""));
  return /^(app|server).*\.tsx?$/.test(to) ? to : null;
}

if (import.meta.main) {
  const floors = readFloors(readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8"));
  const { files, imports } = readTree();
  const wrong = findWrongImports(floors, files, imports);
  for (const line of wrong) console.error(line);
  if (wrong.length > 0 || floors.length === 0) process.exitCode = 1;
  else console.log(`${files.length} files on ${floors.length} floors, ${imports.length} imports lead down`);
}
