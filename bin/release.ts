/** Makes a release (docs/operate.md): `npm run release -- X.Y.Z [--tested WHERE] [--dry-run]`. Exit codes: 0, 1 refused, 2 not understood. */
import { parseArgs } from "node:util";
import { makeRelease, ReleaseRefused } from "./release/make-release.ts";

const USAGE = `Usage: npm run release -- X.Y.Z [--tested WHERE] [--dry-run]

  --tested   where the tests have passed on this commit, when not here: "CI run 812". It is kept in the tag
  --dry-run  checks everything and says what it would do, but changes nothing`;

process.exitCode = run();

function run(): number {
  const given = readArguments();
  if (!given) {
    console.error(USAGE);
    return 2;
  }
  try {
    makeRelease({ ...given, root: process.cwd(), say: (line) => console.log(line), now: new Date() });
    return 0;
  } catch (error) {
    if (!(error instanceof ReleaseRefused)) throw error;
    console.error(`There is no release, and nothing was changed:\n${error.message}`);
    return 1;
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { "dry-run": { type: "boolean" }, tested: { type: "string" } },
      allowPositionals: true,
    });
    const [version, ...more] = positionals;
    if (!version || more.length > 0) return null;
    return { version, testedAt: values.tested || null, isDryRun: values["dry-run"] ?? false };
  } catch {
    return null;
  }
}
