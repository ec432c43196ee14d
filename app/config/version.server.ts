import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** Which version of the product this is. */
export interface Version {
  /** As package.json has it: "1.4.0". */
  number: string;
  /** The whole hash of the commit, or as much of it as COMMIT has; `null` when nobody says. */
  commit: string | null;
  /** Both, as Semantic Versioning writes it: "1.4.0+9fceb02d0ae5". */
  text: string;
}

const ROOT = join(import.meta.dirname, "../..");
/** As git abbreviates in large projects. */
const SHORT_COMMIT = 12;

/**
 * The version of the sources that are being run. Only for code that Node runs from the sources: the bundle has no
 * package.json beside it, and is told by what it is handed.
 *
 * @param namedCommit where there is no git folder, such as in an image
 */
export function readVersion(namedCommit: string | undefined, root = ROOT): Version {
  const { version: number } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const commit = namedCommit ?? readCommit(root);
  return { number, commit, text: commit ? `${number}+${commit.slice(0, SHORT_COMMIT)}` : number };
}

/** What git has checked out here, read from its files: a production machine needs no git, and a start no other process. */
function readCommit(root: string): string | null {
  try {
    const folder = gitFolder(root);
    const head = readFileSync(join(folder, "HEAD"), "utf8").trim();
    const branch = /^ref: (.+)$/.exec(head)?.[1];
    const commit = branch ? commitOf(branch, folder) : head;
    return commit && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
  } catch {
    // No git folder, or one of a kind we do not know.
    return null;
  }
}

/** `.git`; in a linked worktree that is a file which says where. */
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

/** A branch has a file of its own, or a line among those that git has packed. */
function commitOf(branch: string, folder: string): string | undefined {
  const shared = join(folder, "commondir");
  const common = existsSync(shared) ? resolve(folder, readFileSync(shared, "utf8").trim()) : folder;
  const file = join(common, branch);
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const packed = readFileSync(join(common, "packed-refs"), "utf8").split("\n");
  return packed.find((line) => line.endsWith(` ${branch}`))?.split(" ")[0];
}
