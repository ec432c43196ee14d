import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const MIGRATIONS = "app/db/migrations";

/** A version of the product, built in its own folder. */
export interface Version {
  folder: string;
  /** Its commit, for messages. */
  name: string;
}

/** Builds the version before the newest migration, and the newest one, each from its commit. */
export function prepareVersions(): { before: Version; after: Version; remove(): void } {
  const newest = readdirSync(join(ROOT, MIGRATIONS))
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .at(-1);
  const commits = git("rev-list", "--first-parent", "HEAD").split("\n");
  const last = commits.find((commit) => !has(commit, `${MIGRATIONS}/${newest}`));
  if (!last) throw new Error(`no version is older than ${newest}`);
  if (git("status", "--porcelain")) console.log("what is not committed is not part of this");
  const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  const before = checkOut(last, join(folder, "before"));
  const after = checkOut("HEAD", join(folder, "after"));
  for (const version of [before, after]) build(version);
  console.log(`from ${before.name}\nto   ${after.name}`);
  return { before, after, remove: () => remove(folder, [before, after]) };
}

function checkOut(commit: string, folder: string): Version {
  git("worktree", "add", "--detach", folder, commit);
  if (packagesIn(folder) === packagesIn(ROOT))
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  else runNpm(folder, ["install", "--no-save", "--include=dev", "--loglevel=error"]);
  return { folder, name: git("log", "-1", "--format=%h %s", commit) };
}

/** The packages to install, independent of the product's own version. */
function packagesIn(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return JSON.stringify({ ...packages, "": null });
}

function build({ folder, name }: Version): void {
  console.log(`building ${name}`);
  runNpm(folder, ["run", "--silent", "build"]);
}

function runNpm(folder: string, args: string[]): void {
  // As bin/prepare.mjs builds with --without-settings.
  const env = { ...process.env, NODE_ENV: "production", PRODUCT_NAME: "", HEADLINE: "" };
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${stderr}`);
}

function remove(folder: string, versions: readonly Version[]): void {
  for (const version of versions)
    if (existsSync(version.folder)) git("worktree", "remove", "--force", version.folder);
  rmSync(folder, { recursive: true, force: true });
}

function has(commit: string, path: string): boolean {
  return spawnSync("git", ["cat-file", "-e", `${commit}:${path}`], { cwd: ROOT }).status === 0;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
