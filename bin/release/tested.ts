/** Which state of the sources `npm test` has passed on, so that a release can tell: `npm test` ends with noting it. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const NOTE = "node_modules/.cache/tested";

/** Records that the checked-out commit has passed; does nothing with uncommitted changes. */
export function noteTested(root: string): void {
  if (git(root, "status", "--porcelain") !== "") return;
  mkdirSync(dirname(join(root, NOTE)), { recursive: true });
  writeFileSync(join(root, NOTE), treeOf(root));
}

export function isTested(root: string): boolean {
  return existsSync(join(root, NOTE)) && readFileSync(join(root, NOTE), "utf8") === treeOf(root);
}

/** The hash of all files of the commit, whatever its message. */
function treeOf(root: string): string {
  return git(root, "rev-parse", "HEAD^{tree}");
}

function git(root: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}
