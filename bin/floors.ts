import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseAst } from "vite";

/** What stands where, from the roof down: the table of ARCHITECTURE.md, which is the one place that says so. */
export type Floors = readonly { name: string; rooms: readonly string[] }[];

export interface Import {
  from: string;
  to: string;
}

const root = join(import.meta.dirname, "..");

/**
 * What is wrong with the imports of a tree: those that lead up, those between rooms of one floor that close a circle, those
 * between files that do, and files that stand nowhere. Types count as values do.
 *
 * @param files paths below the root of the tree; rooms are folders of `app/`, or files that stand by themselves
 */
export function findWrongImports(floors: Floors, files: readonly string[], imports: readonly Import[]): string[] {
  const heights = new Map(floors.toReversed().flatMap(({ rooms }, height) => rooms.map((room) => [room, height])));
  const roomOf = (file: string) => {
    const path = file.replace(/^app\//, "");
    return heights.has(path) ? path : `${path.split("/")[0]}/`;
  };
  const heightOf = (file: string) => heights.get(roomOf(file)) ?? 0;
  const homeless = files.filter((file) => !heights.has(roomOf(file)));
  const upward = imports.filter(({ from, to }) => heightOf(from) < heightOf(to));
  const sideways = imports.filter(({ from, to }) => roomOf(from) !== roomOf(to) && heightOf(from) === heightOf(to));
  return [
    ...homeless.map((file) => `${file} stands on no floor of ARCHITECTURE.md`),
    ...upward.map(({ from, to }) => `${from} imports ${to}, which is on a floor above it`),
    ...findCircles(sideways.map((edge) => ({ ...edge, tail: roomOf(edge.from), head: roomOf(edge.to) }))),
    ...findCircles(imports.map((edge) => ({ ...edge, tail: edge.from, head: edge.to }))),
  ];
}

interface Edge extends Import {
  tail: string;
  head: string;
}

/** The edges that lie on a circle, each named by the two files that make it. */
function findCircles(edges: readonly Edge[]): string[] {
  const next = Map.groupBy(edges, ({ tail }) => tail);
  const reaches = (start: string, end: string): boolean => {
    const seen = new Set<string>();
    const waiting = [start];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      if (place === end) return true;
      if (seen.has(place)) continue;
      seen.add(place);
      waiting.push(...(next.get(place) ?? []).map(({ head }) => head));
    }
    return false;
  };
  return edges
    .filter(({ tail, head }) => reaches(head, tail))
    .map(({ from, to }) => `${from} imports ${to}, which closes a circle`);
}

/** The table in ARCHITECTURE.md: a row for each floor, its rooms in backticks. */
export function readFloors(markdown: string): Floors {
  return [...markdown.matchAll(/^\| \*\*(?<name>[^|*]+)\*\* +\| (?<rooms>[^|]+)\|/gm)].map(({ groups }) => ({
    name: groups?.name ?? "",
    rooms: [...(groups?.rooms ?? "").matchAll(/`([^`]+)`/g)].map(([, room]) => room ?? ""),
  }));
}

/** Every file of the site that ships, and what each imports of the others. */
function readTree(): { files: string[]; imports: Import[] } {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "app", "server.ts"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.tsx?$/.test(file));
  return { files, imports: files.flatMap(readImports) };
}

function readImports(from: string): Import[] {
  const { body } = parseAst(readFileSync(join(root, from), "utf8"), { lang: from.endsWith("x") ? "tsx" : "ts" });
  return body.flatMap((statement) => {
    const source = "source" in statement ? statement.source?.value : undefined;
    if (!source?.startsWith(".") || source.startsWith("./+types/")) return [];
    const to = posix.join(posix.dirname(from), source.replace(/\?.*$/, ""));
    return /\.tsx?$/.test(to) ? [{ from, to }] : [];
  });
}

if (import.meta.main) {
  const floors = readFloors(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"));
  const { files, imports } = readTree();
  const wrong = findWrongImports(floors, files, imports);
  for (const line of new Set(wrong)) console.error(line);
  if (wrong.length > 0 || floors.length === 0) process.exitCode = 1;
  else console.log(`${files.length} files on ${floors.length} floors, ${imports.length} imports, all of them downwards`);
}
