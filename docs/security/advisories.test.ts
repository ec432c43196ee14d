import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const { packages }: { packages: Record<string, { version?: string; resolved?: string }> } = JSON.parse(
  read("../../package-lock.json"),
);
const floors = [...read("./advisories.md").matchAll(/^\|\s*([\w@/-]+)\s*\|\s*(\d+\.\d+\.\d+)\s*\|/gm)].map(
  (row) => row.slice(1, 3),
);

function isAtLeast(version: string, floor: string): boolean {
  return version.localeCompare(floor, "en", { numeric: true }) >= 0;
}

test("the table is read", () => {
  expect(floors.length).toBeGreaterThanOrEqual(3);
  expect(isAtLeast("8.10.0", "8.9.1")).toBe(true);
  expect(isAtLeast("8.9.0", "8.10.1")).toBe(false);
});

test.each(floors)("every %s in the lockfile is at least %s", (name = "", floor = "") => {
  const versions = Object.entries(packages).flatMap(([path, { version }]) =>
    path.endsWith(`node_modules/${name}`) && version ? [version] : [],
  );
  expect(versions).not.toEqual([]);
  for (const version of versions) expect(isAtLeast(version, floor), version).toBe(true);
});

test("the lockfile names no registry", () => {
  expect(Object.values(packages).filter((entry) => entry.resolved?.startsWith("http"))).toEqual([]);
});
