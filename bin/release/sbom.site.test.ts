import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageLock from "../../package-lock.json" with { type: "json" };
import { readBuiltPackages } from "../../test/built-packages.ts";
import { makeSbom } from "./sbom.ts";

const root = join(import.meta.dirname, "../..");
const installed: Record<string, { version?: string; link?: boolean }> = packageLock.packages;
const nameOf = (folder: string) => folder.replace(/^.*node_modules\//, "");

test("the bill of materials has each package that a bundle has copies of, in its version", () => {
  const { components }: { components: { name: string; version: string }[] } = JSON.parse(makeSbom(root));
  const listed = new Set(components.map(({ name, version }) => `${name} ${version}`));
  const folders = [...readBuiltPackages().values()].flat();
  expect(folders.length).toBeGreaterThan(50);
  const missing = folders.filter((folder) => !listed.has(`${nameOf(folder)} ${installed[folder]?.version}`));
  expect(missing).toEqual([]);
});

test("each bundle is listed: the server's, the pages' and each island's", () => {
  const config = readFileSync(join(root, "vite.config.ts"), "utf8");
  const islands = [...config.matchAll(/island\("([^"]+)"/g)].map(([, name]) => name);
  expect([...readBuiltPackages().keys()].sort()).toEqual(["client", "server", ...islands].sort());
});

test("what browsers are sent is React, and nothing that only judges or stores", () => {
  const sent = readBuiltPackages().get("client")?.map(nameOf) ?? [];
  expect(sent).toContain("react-dom");
  expect(
    sent.filter((name) => /^(zod|@conform-to\/zod|drizzle-orm|pg|stripe|pino|jose)$/.test(name)),
  ).toEqual([]);
});
