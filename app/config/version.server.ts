import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Version {
  /** From package.json: "1.4.0". */
  number: string;
  /** The full hash of the commit, or as much of it as COMMIT has; `null` when unknown. */
  commit: string | null;
  /** Both, as Semantic Versioning writes them: "1.4.0+9fceb02d0ae5". */
  text: string;
}

const ROOT = join(import.meta.dirname, "../..");
/** The length to which git abbreviates in large projects. */
const SHORT_COMMIT = 12;

/**
 * The version of the sources that are running. Only for code that Node runs from the sources: the bundle has no
 * package.json beside it, and receives its version.
 *
 * @param namedCommit for places without a git folder, such as an image
 */
export function readVersion(namedCommit: string | undefined, root = ROOT): Version {
  const { version: number } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const commit = namedCommit ?? readCommit(root);
  return { number, commit, text: commit ? `${number}+${commit.slice(0, SHORT_COMMIT)}` : number };
}

/** The checked-out commit, read from git's files: production machines need no git, and a start needs no other process. */
function readCommit(root: string): string | null {
  try {
    const folder = gitFolder(root);
    const head = readFileSync(join(folder, "HEAD"), "utf8").trim();
    const branch = /^ref: (.+)$/.exec(head)?.[1];
    const commit = branch ? commitOf(branch, folder) : head;
    return commit && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
  } catch {
    // No git folder, or one of an unknown kind.
    return null;
  }
}

/** `.git`; in a linked worktree that is a file with the path. */
function gitFolder(root: string): string {
  const path = join(root, ".git");
  if (statSync(path).isDirectory()) return path;
  return resolve(
    root,
    readFileSync(path, "utf8")
      .replace(/^gitdir: /, "")
      .trim(),
  );
}

/** A branch has its own file, or a line in git's packed refs. */
function commitOf(branch: string, folder: string): string | undefined {
  const shared = join(folder, "commondir");
  const common = existsSync(shared) ? resolve(folder, readFileSync(shared, "utf8").trim()) : folder;
  const file = join(common, branch);
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const packed = readFileSync(join(common, "packed-refs"), "utf8").split("\n");
  return packed.find((line) => line.endsWith(` ${branch}`))?.split(" ")[0];
}
