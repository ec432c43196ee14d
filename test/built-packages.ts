import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** The folders of the packages that each bundle of the build has copies of (vite.config.ts). A test that reads them needs a build. */
export function readBuiltPackages(): Map<string, string[]> {
  const files = globSync("build/packages/*.json", { cwd: ROOT });
  return new Map(
    files.map((file) => [basename(file, ".json"), JSON.parse(readFileSync(join(ROOT, file), "utf8"))]),
  );
}
