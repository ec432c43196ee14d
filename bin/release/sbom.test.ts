import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import packageLock from "../../package-lock.json" with { type: "json" };
import { readBuiltPackages } from "../../test/built-packages.ts";
import { makeSbom } from "./sbom.ts";

const root = join(import.meta.dirname, "../..");
const installed: Record<string, { version?: string }> = packageLock.packages;
const nameOf = (folder: string) => folder.replace(/^.*node_modules\//, "");

test("the bill of materials has each package that a bundle has copies of, in its version", () => {
  const { components }: { components: { name: string; version: string }[] } = JSON.parse(makeSbom(root));
  const listed = new Set(components.map(({ name, version }) => `${name} ${version}`));
  const folders = [...readBuiltPackages().values()].flat();
  expect(folders.length).toBeGreaterThan(50);
  const missing = folders.filter((folder) => !listed.has(`${nameOf(folder)} ${installed[folder]?.version}`));
  expect(missing).toEqual([]);
});

test("what package.json says is in the build is in it, and is no dependency of an installation", () => {
  const built = new Set([...readBuiltPackages().values()].flat().map(nameOf));
  const { inTheBuild, dependencies } = packageJson;
  expect(inTheBuild.filter((name) => !built.has(name))).toEqual([]);
  expect(inTheBuild.filter((name) => name in dependencies)).toEqual([]);
});

test("each bundle is listed", () => {
  const scripts = [...readFileSync(join(root, "vite.config.ts"), "utf8").matchAll(/island\("([^"]+)"/g)];
  const names = ["server", ...scripts.map(([, name]) => name)].sort();
  expect([...readBuiltPackages().keys()].sort()).toEqual(names);
  // Beside them is React Router's manifest, which is made and no bundle.
  const bundles = globSync("build/client/assets/*.js", { cwd: root }).filter(
    (file) => !/manifest-/.test(file),
  );
  expect(bundles).toHaveLength(scripts.length);
});
