import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const MIGRATIONS = "app/db/migrations";

/** A version of the product, built in its own folder. */
export interface Version {
  folder: string;
}

/** Builds the version before the newest migration, and the newest one, each from its commit. */
export function prepareVersions(): { before: Version; after: Version } & Disposable {
  const newest = readdirSync(join(ROOT, MIGRATIONS))
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .at(-1);
  const commits = git("rev-list", "--first-parent", "HEAD").split("\n");
  const last = commits.find((commit) => !has(commit, `${MIGRATIONS}/${newest}`));
  if (!last) throw new Error(`no version is older than ${newest}`);
  if (git("status", "--porcelain")) console.log("what is not committed is not part of this");
  const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  return {
    before: build(last, join(folder, "before")),
    after: build("HEAD", join(folder, "after")),
    [Symbol.dispose]() {
      for (const name of ["before", "after"]) git("worktree", "remove", "--force", join(folder, name));
      rmSync(folder, { recursive: true });
    },
  };
}

function build(commit: string, folder: string): Version {
  console.log(`building ${git("log", "-1", "--format=%h %s", commit)}`);
  git("worktree", "add", "--detach", folder, commit);
  if (packagesIn(folder) === packagesIn(ROOT))
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  else runNpm(folder, ["install", "--no-save", "--include=dev", "--loglevel=error"]);
  runNpm(folder, ["run", "--silent", "build"]);
  return { folder };
}

/** The packages to install, independent of the product's own version. */
function packagesIn(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return JSON.stringify({ ...packages, "": null });
}

function runNpm(folder: string, args: string[]): void {
  // As bin/prepare.mjs builds with --without-settings.
  const env = { ...process.env, NODE_ENV: "production", PRODUCT_NAME: "", HEADLINE: "" };
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${stderr}`);
}

function has(commit: string, path: string): boolean {
  return spawnSync("git", ["cat-file", "-e", `${commit}:${path}`], { cwd: ROOT }).status === 0;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
