import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { format, stripVTControlCharacters } from "node:util";

/** `run` returns a line for each difference: what was lost, doubled or wrong. `does` is what is done, `size` times. */
export type Run = [size: number, run: (size: number, seed: number) => Promise<string[]>, does: string];

/** Those that need nothing but the packages, the quickest first. */
const WITHOUT_TOOLS = "kills faults malformed redeem freeze histories lifecycle outage".split(" ");

const PAGE = "docs/evidence.md";

/**
 * Runs several of the long runs and writes what they did and found to docs/evidence.md. The page is complete after each of them,
 * even when the command is stopped.
 *
 * @param runs by name
 * @param share of their full size, 1 for all of it
 * @returns all differences
 */
export async function evidence(runs: Record<string, Run>, share: number, seed: number): Promise<string[]> {
  const rows: string[] = [];
  const printed: string[] = [];
  const found: string[] = [];
  for (const name of WITHOUT_TOOLS) {
    const run = runs[name];
    if (!run) continue;
    const [fullSize, start, does] = run;
    const size = Math.max(1, Math.round(fullSize * share));
    const began = performance.now();
    const { lines, differences } = await listen(() => start(size, seed));
    const seconds = Math.round((performance.now() - began) / 1000);
    const longest = Math.max(0, ...lines.map(longestWaitIn));
    const wait = longest > 0 ? `${longest.toFixed(1)} s` : "not measured";
    rows.push(
      `| ${[name, does, `${size} of ${fullSize}`, differences.length, wait, `${seconds} s`].join(" | ")} |`,
    );
    printed.push(`${name}:`, ...[...lines, ...differences.slice(0, 20)].map((line) => `  ${line}`));
    found.push(...differences.map((line) => `${name}: ${line}`));
    writeFileSync(PAGE, pageOf(rows, printed, share, seed));
  }
  return found;
}

/** What a run printed, and its differences, including an error it threw. */
async function listen(run: () => Promise<string[]>): Promise<{ lines: string[]; differences: string[] }> {
  const lines: string[] = [];
  const { log } = console;
  console.log = (...said: unknown[]) => {
    lines.push(...stripVTControlCharacters(format(...said)).split("\n"));
    log(...said);
  };
  try {
    return { lines, differences: await run().catch((error: unknown) => [`broke off: ${causeOf(error)}`]) };
  } finally {
    console.log = log;
  }
}

/** What came first, where closing the site failed as well. */
const causeOf = (error: unknown): unknown =>
  error instanceof SuppressedError ? causeOf(error.suppressed) : error;

/** The seconds in "the longest wait was 512 ms" and in freeze's "  sign-in  5.02  (12)"; 0 without. */
function longestWaitIn(line: string): number {
  const [, milliseconds] = /longest wait was (\d+) ms/.exec(line) ?? [];
  const [, seconds] = /^ {2}[a-z -]+ (\d+\.\d\d) {2}\(\d+\)$/.exec(line) ?? [];
  return milliseconds ? Number(milliseconds) / 1000 : Number(seconds ?? 0);
}

function pageOf(rows: string[], printed: string[], share: number, seed: number): string {
  const left = WITHOUT_TOOLS.slice(rows.length);
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const isChanged = git("status", "--porcelain", "--", ":!docs/evidence.md") !== "";
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${Math.round(totalmem() / 1e9)} GB`;
  return `# Evidence

Written by \`npm run soak -- evidence ${share}\`, and by nothing else: ${share === 1 ? "at full size" : `at ${share} of full size`}, on ${new Date().toISOString().slice(0, 10)},
commit ${git("rev-parse", "--short=10", "HEAD")}${isChanged ? " with changes" : ""}, ${machine}, Node ${process.version}, seed ${seed}.
A difference is anything that was lost, doubled or wrong: each run compares the site with Stripe's sandbox, or with what it did itself.

| run | what is done to the site | how often | differences | longest wait | took |
| --- | --- | --- | --- | --- | --- |
${rows.join("\n")}

${left.length > 0 ? `Stopped before: ${left.join(", ")}.\n\n` : ""}Other runs need tools (PostgreSQL's programs, Podman, Prometheus, nginx and Caddy) or hours: \`npm run soak\` lists them all.

## What they printed

\`\`\`
${printed.join("\n")}
\`\`\`
`;
}
