import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { amountOf, type Figure, isWithin, limitOf, stateOf } from "./figures.ts";

/**
 * `npm run bench -- pages` runs one benchmark, `npm run bench` one after the other. `--write` keeps the figures in
 * docs/measurements.md.
 */
const MEASUREMENTS: Record<string, () => Promise<{ run(): Promise<Figure[]> }>> = {
  pages: () => import("./pages.ts"),
  dashboard: () => import("./dashboard.ts"),
  "first-visit": () => import("./first-visit.ts"),
  lighthouse: () => import("./lighthouse.ts"),
  redeem: () => import("./redeem.ts"),
  webhooks: () => import("./webhooks.ts"),
  waitlist: () => import("./waitlist.ts"),
  cost: () => import("./cost.ts"),
};

const FILE = join(import.meta.dirname, "../docs/measurements.md");
const HEAD = ["| figure | value | limit | |", "| --- | --: | --- | --- |"];

const isWriting = process.argv.includes("--write");
// Benchmarks expect their own arguments without it.
process.argv = process.argv.filter((argument) => argument !== "--write");
const name = process.argv[2];
if (name !== undefined && !MEASUREMENTS[name]) {
  console.error(
    `There is no such benchmark. Say one of ${Object.keys(MEASUREMENTS).join(" | ")}, or none for all`,
  );
  process.exit(2);
}
for (const [benchmark, load] of Object.entries(MEASUREMENTS)) {
  if (name !== undefined && name !== benchmark) continue;
  console.log(`\n# ${benchmark}`);
  try {
    const figures = await (await load()).run();
    for (const figure of figures)
      console.log(
        `${stateOf(figure).padEnd(8)}  ${figure.name.padEnd(64)} ${amountOf(figure).padStart(12)}  ${limitOf(figure)}`,
      );
    if (!figures.every(isWithin)) process.exitCode = 1;
    if (isWriting) keep(benchmark, figures);
  } catch (error) {
    // The others still run.
    console.error(error);
    process.exitCode = 1;
  }
}

/** Replaces the section of one benchmark in docs/measurements.md. */
function keep(benchmark: string, figures: readonly Figure[]): void {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const text = readFileSync(FILE, "utf8");
  const [before = "", sections = "", after = ""] = text.split(/(?<=<!-- figures -->\n\n)|(?=<!-- -->)/);
  const headingOf = (one: string) => `### npm run bench -- ${one}\n`;
  const section = [
    headingOf(benchmark),
    `Measured ${new Date().toISOString().slice(0, 10)} at ${git("rev-parse", "--short", "HEAD")} on ${cpus()[0]?.model.trim()}.\n`,
    ...HEAD,
    ...figures.map((figure) =>
      ["", figure.name, amountOf(figure), limitOf(figure), stateOf(figure), ""].join(" | ").trim(),
    ),
    "\n",
  ].join("\n");
  const kept = sections.split(/^(?=### )/m);
  const written = Object.keys(MEASUREMENTS).map((one) =>
    one === benchmark ? section : kept.find((part) => part.startsWith(headingOf(one))),
  );
  writeFileSync(FILE, [before, ...written, after].join(""));
  execFileSync("biome", ["format", "--write", FILE]);
}
