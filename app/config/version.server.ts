import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Version {
  number: string;
  /** The full hash, or as much of it as COMMIT has. */
  commit: string | null;
  /** As in Semantic Versioning: "1.4.0+9fceb02d0ae5". */
  text: string;
}

const ROOT = join(import.meta.dirname, "../..");
/** As git abbreviates in large projects. */
const SHORT_COMMIT = 12;

/** Only for code run from the sources: the bundle receives its version. @param namedCommit where there is no git folder */
export function readVersion(namedCommit: string | undefined, root = ROOT): Version {
  const { version: number } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const commit = namedCommit ?? readCommit(root);
  return { number, commit, text: commit ? `${number}+${commit.slice(0, SHORT_COMMIT)}` : number };
}

/** From git's files: production machines need no git. */
function readCommit(root: string): string | null {
  try {
    const folder = gitFolder(root);
    const head = readFileSync(join(folder, "HEAD"), "utf8").trim();
    const branch = /^ref: (.+)$/.exec(head)?.[1];
    const commit = branch ? commitOf(branch, folder) : head;
    return commit && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
  } catch {
    return null;
  }
}

/** In a linked worktree `.git` is a file with the path. */
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
