/** `npm test`: runs every part, also after one has failed, so that one run shows all that is wrong; ends with 1 when any did. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noteTested } from "./release/tested.ts";

type Part = [name: string, command: string, ...args: string[]];

const CHECKS: Part = ["checks", "npm", "run", "check"];
const notes = mkdtempSync(join(tmpdir(), "tested-"));
const OUTCOMES = join(notes, "vitest.json");
const TESTS: Part[] = [
  [
    "unit and server tests",
    "vitest",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${OUTCOMES}`,
  ],
  ["browser tests", "playwright", "test", "--project", "e2e"],
];

/** @returns whether it succeeded */
async function run([, command, ...args]: Part): Promise<boolean> {
  const [code] = await once(spawn(command, args, { stdio: "inherit" }), "exit");
  return code === 0;
}

/** Beside the tests, which mostly wait. @returns whether it succeeded, and what it printed */
async function runQuietly([, command, ...args]: Part): Promise<[boolean, string]> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += chunk;
    });
  const [code] = await once(child, "close");
  return [code === 0, printed];
}

/** Vitest's part of vitest.json that is read here. */
type Outcomes = {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

/** A line each of the unit and server tests that failed: what they printed is thousands of lines above the end by then. */
function failedTests(): string[] {
  const { testResults }: Outcomes = JSON.parse(readFileSync(OUTCOMES, "utf8"));
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName }) => fullName);
      const reasons = failed.length > 0 ? failed : [message.split("\n", 1)[0]];
      return reasons.map((reason) => `        ${name.slice(process.cwd().length + 1)}: ${reason}`);
    });
}

const checking = runQuietly(CHECKS);
const results: [name: string, isPassed: boolean][] = [];
for (const part of TESTS) results.push([part[0], await run(part)]);
const [areChecksPassed, printed] = await checking;
console.log(printed);
results.unshift([CHECKS[0], areChecksPassed]);
for (const [name, isPassed] of results) console.log(`${isPassed ? "passed" : "FAILED"}  ${name}`);
try {
  for (const line of failedTests()) console.log(line);
} catch {
  // Vitest ended before it wrote what failed; it has said why.
}
rmSync(notes, { recursive: true, force: true });
if (results.some(([, isPassed]) => !isPassed)) process.exit(1);
// With arguments, as in `npm test -- promo`, not all tests have run.
if (process.argv.length === 2) {
  try {
    noteTested(process.cwd());
  } catch {
    // Sources without git, which cannot be released from.
  }
}
