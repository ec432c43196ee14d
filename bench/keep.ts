import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatPoints } from "./points.ts";
import {
  formatRows,
  mergeRows,
  type Outcome,
  type Row,
  readRows,
  replaceBetween,
  textBetween,
} from "./table.ts";

/** Whether what is measured is kept: `npm run bench -- pages --write`. */
export const isWriting = process.argv.includes("--write");

const ROOT = join(import.meta.dirname, "..");
const MEASUREMENTS = join(ROOT, "docs/measurements.md");
const README = join(ROOT, "README.md");
/** The place of the table in both files. */
const PLACE = "figures";
const WATCHED_MILLISECONDS = 1_000;

/** The table as it was last written: what other figures are calculated from. */
export function readKept(): Row[] {
  return readRows(textBetween(readFileSync(MEASUREMENTS, "utf8"), PLACE));
}

/**
 * Writes what was measured into docs/measurements.md and README.md. What was measured on another machine stays, and says on which:
 * most of it are ratios, which a machine changes little, and some takes hours.
 */
export function keep(outcomes: readonly Outcome[], benchmarks: readonly string[]): void {
  const rows = mergeRows(readKept(), outcomes, benchmarks);
  writeFileSync(MEASUREMENTS, replaceBetween(readFileSync(MEASUREMENTS, "utf8"), PLACE, formatRows(rows)));
  writeFileSync(README, replaceBetween(readFileSync(README, "utf8"), PLACE, formatPoints(rows)));
}

/** The day, the commit, how busy the machine was otherwise, and which it is. */
export async function describeMoment(): Promise<string> {
  const day = new Date().toISOString().slice(0, 10);
  return [day, nameCommit(), `${Math.round(100 * (await measureOthers()))}% busy`, nameMachine()].join(", ");
}

function nameCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  try {
    // What the table itself changes is not what was measured.
    const isChanged = git("status", "--porcelain", "--", ":!docs/*.md", ":!README.md") !== "";
    return `${git("rev-parse", "--short", "HEAD")}${isChanged ? " and changes" : ""}`;
  } catch {
    return "no commit";
  }
}

function nameMachine(): string {
  const [{ model = "an unknown processor" } = {}] = cpus();
  return `${cpus().length} × ${model.replace(/\s+/g, " ").trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`;
}

/** The share of the machine that is used while this process does nothing: what others take. */
async function measureOthers(): Promise<number> {
  const before = readBusy();
  await sleep(WATCHED_MILLISECONDS);
  const after = readBusy();
  return (after.busy - before.busy) / Math.max(1, after.all - before.all);
}

/** Milliseconds of all processors since they were started. */
export function readBusy(): { busy: number; all: number } {
  const times = cpus().map(({ times }) => times);
  const all = times.reduce((sum, each) => sum + Object.values(each).reduce((a, b) => a + b, 0), 0);
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all };
}
