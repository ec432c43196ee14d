import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeSbom } from "./sbom.ts";
import { isTested } from "./tested.ts";

const CHANGELOG = "CHANGELOG.md";
const PACKAGE = "package.json";
const LOCKFILE = "package-lock.json";
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m;

/** Why there is no release: every obstacle, in a line that says what to do. */
export class ReleaseRefused extends Error {}

export interface ReleaseOptions {
  root: string;
  version: string;
  /** Where the tests passed, if not here, such as "CI run 812". Recorded in the tag. */
  testedAt: string | null;
  isDryRun: boolean;
  say: (line: string) => void;
  now: Date;
}

/**
 * Makes a release of what is checked out: the changelog's section, the version, the bill of materials, a commit and an annotated
 * tag. Nothing leaves this machine.
 *
 * @throws ReleaseRefused before anything has been changed
 */
export function makeRelease({ root, version, testedAt, isDryRun, say, now }: ReleaseOptions): void {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);

  const current: string = JSON.parse(read(PACKAGE)).version;
  const section = readUnreleased(read(CHANGELOG));
  const tag = `v${version}`;
  const refusals = [
    refusalOfVersion(current, version, section),
    git("branch", "--show-current") !== "main" && "releases are made on main: git switch main",
    git("status", "--porcelain") !== "" && "there are changes that are not committed: git status names them",
    git("tag", "--list", tag) !== "" && `there is a tag ${tag} already`,
    !section && `${CHANGELOG} has nothing under "## Unreleased": say what users and operators notice`,
    !testedAt &&
      !isTested(root) &&
      'npm test has not passed on this commit: run it, or say where it has: --tested "CI run 812"',
  ].filter((refusal) => typeof refusal === "string");
  if (refusals.length > 0 || !section)
    throw new ReleaseRefused(refusals.map((line) => `- ${line}`).join("\n"));

  const tests = testedAt ?? "npm test, here, on the commit before";
  say(`${current} -> ${version}, tested by: ${tests}\n\n${section}\n`);
  if (isDryRun) {
    const { components } = JSON.parse(makeSbom(root));
    say(`would write ${bomFile(version)} (${components.length} packages), commit and tag ${tag}`);
    return;
  }
  const changed = [CHANGELOG, PACKAGE, LOCKFILE];
  try {
    write(CHANGELOG, moveUnreleased(read(CHANGELOG), version, now.toISOString().slice(0, 10)));
    write(PACKAGE, withVersion(read(PACKAGE), version));
    write(LOCKFILE, withVersion(read(LOCKFILE), version));
    const bom = makeSbom(root);
    mkdirSync(dirname(join(root, bomFile(version))), { recursive: true });
    write(bomFile(version), bom);
    git("commit", "--quiet", `--message=Release ${version}`, "--", ...changed);
    git("tag", "--annotate", "--cleanup=verbatim", `--message=${tagText(version, section, tests, bom)}`, tag);
  } catch (error) {
    // Also back to the commit before, should it be the tag that failed.
    if (git("log", "-1", "--format=%s") === `Release ${version}`) git("reset", "--quiet", "--soft", "HEAD~1");
    git("checkout", "--quiet", "HEAD", "--", ...changed);
    throw error;
  }
  say(`${bomFile(version)} written, ${tag} made. To publish both: git push --follow-tags`);
}

function refusalOfVersion(current: string, version: string, section: string | null): string | null {
  const next = nextVersions(current);
  if (!next.includes(version))
    return `after ${current} comes ${next.join(", ").replace(/, (\S+)$/, " or $1")}`;
  if (isPatch(current, version) && section && asksOperator(section))
    return `what stands under "Upgrading" asks something of operators, so this is no ${version} but ${next[1]}`;
  return null;
}

/** Of package.json and of its lockfile, which says it twice. */
function withVersion(text: string, version: string): string {
  const json = JSON.parse(text);
  json.version = version;
  if (json.packages) json.packages[""].version = version;
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** Not part of the repository; the tag has its hash. */
function bomFile(version: string): string {
  return `releases/sbom-${version}.cdx.json`;
}

function tagText(version: string, section: string, tests: string, bom: string): string {
  const hash = createHash("sha256").update(bom).digest("hex");
  return `${version}\n\n${section}\n\nTests: ${tests}\nBill of materials (node bin/release/sbom.ts), SHA-256: ${hash}\n`;
}

/** What CHANGELOG.md has under "Unreleased", without its heading; `null` when there is no such heading. */
export function readUnreleased(changelog: string): string | null {
  return UNRELEASED.exec(changelog)?.[1]?.trim() ?? null;
}

/** Whether it asks something of an operator, beyond starting the new version. */
export function asksOperator(section: string): boolean {
  return /^### Upgrading\n+- /m.test(section);
}

/** The changelog with what was unreleased under this version, and nothing unreleased. @param day like 2026-11-22 */
export function moveUnreleased(changelog: string, version: string, day: string): string {
  return changelog.replace(UNRELEASED, (_, section: string) => {
    return `## Unreleased\n\n## ${version} - ${day}\n\n${section.trim()}\n\n`;
  });
}

/** The versions that may follow this one (docs/operate.md), smallest step first. */
export function nextVersions(version: string): string[] {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`];
}

/** Whether it is a step of the last number, which is for fixes that ask nothing of an operator. */
export function isPatch(from: string, to: string): boolean {
  return to === nextVersions(from)[0];
}
