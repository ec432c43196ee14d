import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** Generated files, and those of this copy alone. */
const LEFT_OUT = new Set([
  ...[".data", ".env", ".git", ".react-router", "build", "node_modules", "releases", "screenshots"],
  ...["playwright-report", "test-results"],
]);
/** Below node_modules: Vite's cache and what bin/prepare.mjs has noted. */
const CACHES = /^\.(vite|prepared)/;

/**
 * A copy of the sources, for a test that changes them. It shares the installed packages.
 *
 * @param own packages that it has a copy of: while developing, Vite serves no file from outside
 */
export function createScratchCopy(own: readonly string[] = []): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "scratch-"));
  const copied = [
    ...readdirSync(ROOT).filter((name) => !LEFT_OUT.has(name)),
    ...own.map((name) => `node_modules/${name}`),
  ];
  for (const name of copied) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (!CACHES.test(name) && !own.includes(name))
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name), "junction");
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
