import { chmodSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { explainMissing, findPrograms } from "../../app/backup/programs.server.ts";
import { withDatabaseName } from "../../app/backup/staging.server.ts";
import { endPool } from "../../app/db/client.server.ts";
import { openEmbeddedPostgres, siteUrlOf } from "../../app/db/embedded.server.ts";
import { findViolations } from "../../app/db/invariants.server.ts";
import { runAsProcess } from "../command.ts";
import { createMigratedDatabase, databaseSettings } from "../database.ts";
import { rollDice } from "../dice.ts";
import { fill } from "../fill.ts";
import { openSite, postAt } from "../running-site.ts";
import { createPerson } from "../users.ts";
import { countByKind, prepareMixedLoad, startMixedLoad } from "./mixed-load.ts";

const POSTGRES = 18;
const PROCESSES = 2;
const AT_ONCE = 8;
/** Rows that `fill` inserts per unit of size. */
const ROWS_EACH = 19;

/**
 * Backs up a database of this many rows under load, and restores it into an empty cluster, by pg_dump and with a key. An account
 * deleted in between stays deleted. PG_BIN names the folder of pg_dump 18, if it is not in a usual place.
 *
 * @returns a line for each difference
 */
export async function backup(rows: number, seed: number): Promise<string[]> {
  const programFolder = process.env.PG_BIN || null;
  if (!(await findPrograms(POSTGRES, programFolder))) return [explainMissing(POSTGRES, programFolder)];
  using folder = mkdtempDisposableSync(join(tmpdir(), "soak-backup-"));
  chmodSync(folder.path, 0o755);
  const database = await createMigratedDatabase();
  const backups = {
    BACKUP_DIR: join(folder.path, "backups"),
    BACKUP_KEY: "a key of at least thirty-two characters",
    PG_BIN: programFolder ?? "",
  };
  const pool = new Pool({ connectionString: database.url, max: 5 });
  await fill(pool, Math.ceil(rows / ROWS_EACH)).finally(() => endPool(pool));
  await using site = await openSite(PROCESSES, backups, { database });
  const leaver = await createPerson(site.pool);
  await prepareMixedLoad(site);
  const load = await startMixedLoad(site, ["sign-up", "redeem", "waitlist"], AT_ONCE, rollDice(seed));
  const env = { ...site.environment, ...databaseSettings(database.url), ...backups };
  const made = await run("backup", [], env);
  await load.stop();
  console.log(`meanwhile acknowledged: ${countByKind(load.acknowledged)}`);
  const fields = { email: leaver.email, subscription: "" };
  await postAt(site.origin, site, "/account/delete", fields, leaver.cookie);
  const listed = await run("backup", ["erasures"], env);
  return [...made, ...load.odd, ...listed, ...(await restoreElsewhere(folder.path, env, leaver.id))];
}

/** Restores into an empty cluster, as on another machine. The command itself compares the rows. */
async function restoreElsewhere(
  folder: string,
  env: Record<string, string>,
  leaver: string,
): Promise<string[]> {
  const elsewhere = await openEmbeddedPostgres(join(folder, "elsewhere"), console.log);
  const ownerUrl = withDatabaseName(elsewhere.url, "site");
  const pool = new Pool({ connectionString: ownerUrl, max: 2 });
  try {
    const urls = { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: siteUrlOf(ownerUrl) };
    const differences = await run("restore", ["latest"], { ...env, ...urls });
    if (differences.length > 0) return differences;
    const violations = await findViolations(pool);
    const { rowCount } = await pool.query(`SELECT FROM "user" WHERE id = $1`, [leaver]);
    return [
      ...violations.map(({ rule }) => `does not hold once it is restored: ${rule}`),
      ...(rowCount === 0 ? [] : ["a deleted account is there again"]),
    ];
  } finally {
    await endPool(pool);
    await elsewhere.release();
  }
}

/** Runs a command as the operator does, and prints its output. @returns a line if it failed */
async function run(
  command: "backup" | "restore",
  args: string[],
  env: Record<string, string>,
): Promise<string[]> {
  const began = performance.now();
  const { code, printed } = await runAsProcess(`bin/${command}.ts`, args, env);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `npm run ${[command, ...args].join(" ")}: ${seconds} s\n${printed.trimEnd().replaceAll(/^/gm, "  ")}`,
  );
  return code === 0 ? [] : [`${command} ended with ${code}`];
}
