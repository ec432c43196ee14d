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
 * The cost of an idle site: memory, processor time and queries of a process, the time of a start and a build, and the disk space
 * of an installation. Times are wall-clock times of an idle machine.
 *
 * @returns each beside its limit
 */
export async function run(): Promise<Figure[]> {
  const figures = [...(await measureStart()), await measureNpmStart(), measureBuild(), measureInstallation()];
  // Last, because it takes longest and other work affects it least.
  return [...figures, ...(await measureIdle())];
}

/** Builds the site for tests, so that the build does not change. */
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

/** Everything `npm install --omit=dev` installs: PostgreSQL included, Node not. */
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

/** Allocated blocks, as `du` counts. */
function bytesOnDisk(path: string): number {
  const { blocks } = lstatSync(path);
  const within = lstatSync(path).isDirectory() ? readdirSync(path) : [];
  return within.reduce((sum, name) => sum + bytesOnDisk(join(path, name)), blocks * 512);
}
