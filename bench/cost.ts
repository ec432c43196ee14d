import { execFileSync } from "node:child_process";
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { medianOf } from "../test/median.ts";
import { measureIdle } from "./cost-idle.ts";
import { measureNpmStart, measureStart } from "./cost-start.ts";
import type { Figure } from "./figures.ts";

const ROOT = join(import.meta.dirname, "..");
const MEGABYTE = 1024 * 1024;
const BUILDS = 3;

/**
 * What the site costs while nobody asks it for anything: memory, processor and queries of a process at rest, the time of a start and of
 * a build, and the room an installation takes. Times are those of a clock, and of a machine that does nothing else.
 *
 * @returns each beside its limit
 */
export async function run(): Promise<Figure[]> {
  const figures = [...(await measureStart()), await measureNpmStart(), measureBuild(), measureInstallation()];
  // Last, because it takes longest and is the least sensitive to other work.
  return [...figures, ...(await measureIdle())];
}

/** Builds the site as the tests have it, so that the build stays what it was. */
function measureBuild(): Figure {
  const env = { ...process.env, NODE_ENV: "production", PRODUCT_NAME: "", HEADLINE: "" };
  const seconds = Array.from({ length: BUILDS }, () => {
    const begun = performance.now();
    execFileSync("npm", ["run", "--silent", "build"], {
      cwd: ROOT,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    return (performance.now() - begun) / 1000;
  });
  return { name: "npm run build", value: medianOf(seconds), unit: "s", limit: { most: 15 } };
}

/** All that `npm install --omit=dev` brings: the programs of PostgreSQL included, Node not. */
function measureInstallation(): Figure {
  const folder = mkdtempSync(join(tmpdir(), "bench-install-"));
  try {
    for (const name of ["package.json", "package-lock.json", ".npmrc"])
      cpSync(join(ROOT, name), join(folder, name));
    const begun = performance.now();
    execFileSync("npm", ["install", "--no-save", "--omit=dev", "--loglevel=error"], { cwd: folder });
    console.log(`npm install --omit=dev took ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    const bytes = bytesOnDisk(join(folder, "node_modules"));
    return { name: "production install", value: bytes / MEGABYTE, unit: "MB", limit: { most: 150 } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As `du` counts: what the file system sets aside. */
function bytesOnDisk(path: string): number {
  const { blocks } = lstatSync(path);
  const within = lstatSync(path).isDirectory() ? readdirSync(path) : [];
  return within.reduce((sum, name) => sum + bytesOnDisk(join(path, name)), blocks * 512);
}
