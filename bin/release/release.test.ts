import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  asksOperator,
  isPatch,
  makeRelease,
  moveUnreleased,
  nextVersions,
  ReleaseRefused,
  readUnreleased,
} from "./make-release.ts";
import { isTested, noteTested } from "./tested.ts";

const CHANGELOG = `# Changelog

## Unreleased

### Added

- A thing.

## 0.8.0 - 2026-11-22

- Older things.
`;
const NOW = new Date("2027-01-31T23:30:00Z");

let root: string;
let said: string[];
/** A repository of its own, on main, with our packages and one commit. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "release-"));
  said = [];
  for (const file of ["package.json", "package-lock.json"]) {
    cpSync(file, join(root, file));
    const json = JSON.parse(readFileSync(join(root, file), "utf8"));
    json.version = "0.8.0";
    if (json.packages) json.packages[""].version = "0.8.0";
    writeFileSync(join(root, file), `${JSON.stringify(json, null, 2)}\n`);
  }
  writeFileSync(join(root, "CHANGELOG.md"), CHANGELOG);
  writeFileSync(join(root, ".gitignore"), "node_modules/\n/releases/\n");
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@own.example");
  git("add", ".");
  git("commit", "--quiet", "--message=one");
});

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
}

function release(version: string, options: { testedAt?: string; isDryRun?: boolean } = {}): void {
  const say = (line: string) => void said.push(line);
  makeRelease({ root, version, testedAt: null, isDryRun: false, say, now: NOW, ...options });
}

test("makes the changelog's section, the version, a commit, an annotated tag and the bill of materials", () => {
  noteTested(root);
  release("0.9.0", { isDryRun: true });
  expect(git("status", "--porcelain") + git("tag")).toBe("");
  expect(said.join("\n")).toMatch(
    /0\.8\.0 -> 0\.9\.0.*\n\n### Added\n\n- A thing\.\n\nwould write .* packages\), commit/,
  );

  release("0.9.0");
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  expect(read("CHANGELOG.md")).toContain(
    "## Unreleased\n\n## 0.9.0 - 2027-01-31\n\n### Added\n\n- A thing.\n\n## 0.8.0",
  );
  expect(git("diff", "--stat", "HEAD~1", "--", "package.json", "package-lock.json")).toContain(
    "2 files changed, 3 insertions(+), 3 deletions(-)",
  );
  expect([git("log", "-1", "--format=%s"), git("status", "--porcelain")]).toEqual(["Release 0.9.0", ""]);
  const tag = git("cat-file", "tag", "v0.9.0");
  expect(tag).toContain("\n### Added\n\n- A thing.\n\nTests: npm test, here");
  expect(git("rev-parse", "v0.9.0^{commit}")).toBe(git("rev-parse", "HEAD"));

  const bom = read("releases/sbom-0.9.0.cdx.json");
  const { metadata, components } = JSON.parse(bom);
  expect(metadata.component).toMatchObject({ name: "ownwords", version: "0.9.0" });
  const names = components.map(({ name }: { name: string }) => name);
  const { dependencies } = JSON.parse(read("package.json"));
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  // What such a package needs is listed as well.
  expect(names).toContain("oauth4webapi");
  expect(names).not.toContain("vitest");
  // Another clone says the same to the byte, and so does the tag.
  const other = `${root}-of-another-name`;
  git("clone", "--quiet", ".", other);
  const { stdout } = spawnSync(process.execPath, [resolve("bin/release/sbom.ts")], {
    cwd: other,
    encoding: "utf8",
  });
  expect(stdout).toBe(bom);
  expect(bom.match(/https?:[^"]*/g)).toEqual(["http://cyclonedx.org/schema/bom-1.6.schema.json"]);
});

test("refuses all at once, in words, and changes nothing", () => {
  git("switch", "--quiet", "-c", "other");
  git("tag", "v0.8.2");
  writeFileSync(join(root, "CHANGELOG.md"), CHANGELOG.replace("### Added\n\n- A thing.\n\n", ""));
  const before = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  expect(() => release("0.8.2")).toThrow(
    new ReleaseRefused(
      [
        "- after 0.8.0 comes 0.8.1, 0.9.0 or 1.0.0",
        "- releases are made on main: git switch main",
        "- there are changes that are not committed: git status names them",
        "- there is a tag v0.8.2 already",
        '- CHANGELOG.md has nothing under "## Unreleased": say what users and operators notice',
        '- npm test has not passed on this commit: run it, or say where it has: --tested "CI run 812"',
      ].join("\n"),
    ),
  );
  expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toBe(before);
});

test("a release that fails half-way leaves nothing behind", () => {
  const commit = git("rev-parse", "HEAD");
  // git makes no tag below a name that is a tag itself.
  git("tag", "v0.9.0/taken");
  expect(() => release("0.9.0", { testedAt: "CI run 812" })).toThrow("v0.9.0");
  expect([git("rev-parse", "HEAD"), git("status", "--porcelain")]).toEqual([commit, ""]);
});

test("that the tests passed counts for exactly these files", () => {
  expect(isTested(root)).toBe(false);
  writeFileSync(join(root, "more"), "");
  noteTested(root);
  expect(existsSync(join(root, "node_modules"))).toBe(false);
  git("add", ".");
  git("commit", "--quiet", "--message=two");
  noteTested(root);
  expect(isTested(root)).toBe(true);
  git("rm", "--quiet", "more");
  git("commit", "--quiet", "--message=three");
  expect(isTested(root)).toBe(false);
});

test("the command says how it is used", () => {
  const { status, stderr } = spawnSync(process.execPath, [resolve("bin/release.ts"), "--tag"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining("npm run release -- X.Y.Z")]);
});

test("what asks something of operators is no patch", () => {
  expect(nextVersions("0.8.9")).toEqual(["0.8.10", "0.9.0", "1.0.0"]);
  expect([isPatch("0.8.9", "0.8.10"), isPatch("0.8.9", "0.9.0")]).toEqual([true, false]);
  expect(asksOperator("### Upgrading\n\n- Set COMMIT.")).toBe(true);
  expect(asksOperator("### Upgrading\n\nNothing.\n\n### Added\n\n- A thing.")).toBe(false);
  writeFileSync(join(root, "CHANGELOG.md"), CHANGELOG.replace("### Added", "### Upgrading"));
  git("commit", "--quiet", "--all", "--message=two");
  expect(() => release("0.8.1", { testedAt: "CI" })).toThrow("this is no 0.8.1 but 0.9.0");
});

test("a changelog without versions, or without the heading, is understood", () => {
  expect(readUnreleased("# Changelog\n")).toBeNull();
  expect(readUnreleased("# Changelog\n\n## Unreleased\n\n- One.")).toBe("- One.");
  expect(moveUnreleased("## Unreleased\n\n- $& One.", "0.1.0", "2027-01-31")).toBe(
    "## Unreleased\n\n## 0.1.0 - 2027-01-31\n\n- $& One.\n\n",
  );
});
