import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endPool } from "../app/db/client.server.ts";
import startCluster from "../test/cluster.ts";
import { openDatabase } from "../test/database.ts";
import type { LoggedStatement } from "../test/logged-plans.ts";
import { connectPlanner, wholeReadsOf } from "../test/plans.ts";
import type { Figure } from "./figures.ts";
import { fill } from "./fill.ts";
import { fillBeside } from "./fill-beside.ts";

/** Of everything, where a plan is looked at. */
const ROWS = 20_000;

/**
 * `npm run bench -- statements`: runs all tests that ask a database anything and has PostgreSQL log how it would find the rows of
 * every statement they cause, kept from reading a table whole wherever an index can do. All are planned again in a database with rows. `PLANS_FILE=FILE npx vitest run app test` and `npm run bench -- statements FILE` do the two apart.
 */
export async function run(): Promise<Figure[]> {
  const statements = process.argv[3] ? readPlans(process.argv[3]) : logPlansOfTests();
  const faults = await findWholeReads(statements);
  for (const { text, tables } of faults)
    console.log(`${tables.join(", ")} is read whole by ${text.replaceAll(/\s+/g, " ").slice(0, 400)}`);
  return [
    { name: "statements that were looked at", value: statements.length, unit: "", limit: { least: 400 } },
    { name: "statements that read a large table whole", value: faults.length, unit: "", limit: { most: 0 } },
  ];
}

function logPlansOfTests(): LoggedStatement[] {
  const folder = mkdtempSync(join(tmpdir(), "bench-statements-"));
  const file = join(folder, "plans.json");
  const tests = ["vitest", "run", "app", "test", "--testTimeout=120000", "--reporter=dot"];
  const { status } = spawnSync("npx", tests, { stdio: "inherit", env: { ...process.env, PLANS_FILE: file } });
  if (status !== 0)
    console.log("Not all tests passed, slow as they are with the log; the plans are read all the same.");
  const plans = readPlans(file);
  rmSync(folder, { recursive: true });
  return plans;
}

const readPlans = (file: string) => JSON.parse(readFileSync(file, "utf8")) as LoggedStatement[];

interface Fault {
  text: string;
  tables: string[];
}

async function findWholeReads(statements: readonly LoggedStatement[]): Promise<Fault[]> {
  const endCluster = await startCluster();
  const database = await openDatabase();
  const planner = await connectPlanner(database.ownerUrl);
  try {
    await fill(database.pool, ROWS);
    await fillBeside(database.pool);
    const faults: Fault[] = [];
    for (const { text, whole } of statements) {
      // What a trigger's function asks knows tables that only it has, and what a test makes is gone: what was logged is all there is.
      const tables = await wholeReadsOf(planner, text).catch((error: Error) => {
        if (whole.length > 0) console.log(`not planned again, as ${error.message}:`);
        return whole;
      });
      if (tables.length > 0) faults.push({ text, tables });
    }
    return faults;
  } finally {
    await planner.end();
    await endPool(database.pool);
    await endPool(database.db.$client);
    await endCluster();
  }
}
