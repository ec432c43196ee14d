import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const MIGRATIONS = "app/db/migrations";
/** A version without this file does not share its scripts and styles with the next. */
const SHARES_ASSETS = "app/http/shared-assets.server.ts";

/** A version of the product, built in its own folder. */
export interface Version {
  folder: string;
  /** Its commit, for messages. */
  name: string;
}

/**
 * Builds the version before the newest migration, and the newest one, each from its commit. Where the former could not be
 * upgraded without an interruption yet, the newest one stands in for it, and a made-up migration is added on top.
 */
export function prepareVersions(): { before: Version; after: Version; remove(): void } {
  const newest = readdirSync(join(ROOT, MIGRATIONS))
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .at(-1);
  const commits = git("rev-list", "--first-parent", "HEAD").split("\n");
  const [head = ""] = commits;
  const last = commits.find((commit) => !has(commit, `${MIGRATIONS}/${newest}`)) ?? "";
  const isReal = has(last, SHARES_ASSETS);
  if (git("status", "--porcelain")) console.log("what is not committed is not part of this");

  const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  const before = checkOut(isReal ? last : head, join(folder, "before"));
  const after = checkOut(head, join(folder, "after"));
  if (!isReal) makeUpMigration(after);
  for (const version of [before, after]) build(version);
  // If the browser's files are the same, makes them differ.
  const isAlike = String(assetsOf(before)) === String(assetsOf(after));
  if (isAlike) {
    makeUpScripts(after);
    build(after);
  }
  console.log(`from ${before.name}\nto   ${after.name}`);
  if (!isReal) console.log("with a migration made up");
  if (isAlike) console.log("with scripts and styles made up");
  return { before, after, remove: () => remove(folder, [before, after]) };
}

const assetsOf = ({ folder }: Version) => readdirSync(join(folder, "build/client/assets")).sort();

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

/** A migration with every kind of step that may run beside the previous version. */
function makeUpMigration({ folder }: Version): void {
  const tag = "9999_made_up";
  const file = join(folder, MIGRATIONS, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(file, "utf8"));
  journal.entries.push({
    idx: journal.entries.length,
    version: "7",
    when: Date.now(),
    tag,
    breakpoints: true,
  });
  writeFileSync(file, JSON.stringify(journal));
  writeFileSync(
    join(folder, MIGRATIONS, `${tag}.sql`),
    [
      `CREATE TABLE "made_up" ("id" text PRIMARY KEY NOT NULL)`,
      `ALTER TABLE "user" ADD COLUMN "made_up" integer DEFAULT 0 NOT NULL`,
      `ALTER TABLE "session" ADD COLUMN "made_up_id" text`,
      `ALTER TABLE "session" ADD CONSTRAINT "made_up_fk" FOREIGN KEY ("made_up_id") REFERENCES "made_up"("id") NOT VALID`,
      `CREATE INDEX "made_up_index" ON "grants" USING btree ("expires_at")`,
    ].join(";--> statement-breakpoint\n"),
  );
}

function makeUpScripts({ folder }: Version): void {
  const line = 'if (typeof document === "object") document.documentElement.dataset.madeUp = "yes";\n';
  appendFileSync(join(folder, "app/root.tsx"), line);
  appendFileSync(join(folder, "app/styles.css"), ":root { --made-up: 1; }\n");
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
