import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WholeReads } from "../test/plans.ts";
import type { Figure } from "./figures.ts";

/** What may read a large table from its first row to its last, by how its text begins or what is in it, and why. */
const MEANT: { text: RegExp; because: string }[] = [];

/**
 * `npm run bench -- statements`: runs all tests that ask a database anything and has PostgreSQL log how it would find the rows of
 * every statement they cause. The planner is kept from reading a table whole wherever an index can do.
 */
export async function run(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-statements-"));
  const file = join(folder, "plans.json");
  const { status } = spawnSync(
    "npx",
    ["vitest", "run", "app", "test", "--testTimeout=120000", "--reporter=dot"],
    {
      stdio: "inherit",
      env: { ...process.env, PLANS_FILE: file },
    },
  );
  if (status !== 0)
    console.log("Not all tests passed, as some may not with all the log; the plans are read all the same.");
  const { statements, whole } = JSON.parse(readFileSync(file, "utf8")) as WholeReads;
  rmSync(folder, { recursive: true });
  const faults = whole.filter(({ text }) => !MEANT.some((meant) => meant.text.test(text)));
  for (const { text, tables } of faults)
    console.log(`${tables.join(", ")} is read whole by ${text.slice(0, 300)}`);
  console.log(
    `${statements} statements, ${whole.length - faults.length} of which may read a large table whole`,
  );
  return [
    { name: "statements that were looked at", value: statements, unit: "", limit: { least: 500 } },
    { name: "statements that read a large table whole", value: faults.length, unit: "", limit: { most: 0 } },
  ];
}
