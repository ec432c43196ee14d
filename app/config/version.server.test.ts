import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readVersion } from "./version.server.ts";

const root = mkdtempSync(join(tmpdir(), "version-"));
writeFileSync(join(root, "package.json"), '{"version": "1.4.0"}');

function git(...args: string[]): string {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@own.example"];
  return execFileSync("git", [...who, ...args], { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
}

test("the commit is read from git's files, however they keep it, or named by who has none", () => {
  expect(readVersion(undefined, root)).toEqual({ number: "1.4.0", commit: null, text: "1.4.0" });
  expect(readVersion("9fceb02", root).text).toBe("1.4.0+9fceb02");

  git("init", "--quiet", "--initial-branch=main");
  expect(readVersion(undefined, root).commit).toBeNull();
  git("commit", "--quiet", "--allow-empty", "--message=one");
  const commit = git("rev-parse", "HEAD");
  const known = { number: "1.4.0", commit, text: `1.4.0+${commit.slice(0, 12)}` };
  expect(readVersion(undefined, root)).toEqual(known);
  git("pack-refs", "--all");
  expect(readVersion(undefined, root)).toEqual(known);

  const linked = `${root}-linked`;
  git("worktree", "add", "--quiet", "-b", "other", linked);
  writeFileSync(join(linked, "package.json"), '{"version": "1.4.0"}');
  expect(readVersion(undefined, linked)).toEqual(known);
  git("checkout", "--quiet", "--detach");
  expect(readVersion(undefined, root)).toEqual(known);
});
