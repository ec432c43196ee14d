import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { explainMissing, findPrograms } from "../../app/backup/programs.server.ts";
import { withDatabaseName } from "../../app/backup/staging.server.ts";
import { endPool } from "../../app/db/client.server.ts";
import { openEmbeddedPostgres, siteUrlOf } from "../../app/db/embedded.server.ts";
import { findViolations } from "../../app/db/invariants.server.ts";
import { applyMigrations } from "../../app/db/migrate.server.ts";
import { runAsProcess } from "../command.ts";
import { createDatabase, databaseSettings } from "../database.ts";
import { fill } from "../fill.ts";
import { asClient } from "../http.ts";
import { AUTH_SECRET, endProcess, spawnServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";
import { postAt } from "./site.ts";

const POSTGRES = 18;
const PROCESSES = 2;
/** The number of users at any moment. */
const VISITORS = 8;
/** Rows that `fill` inserts per unit of size. */
const ROWS_EACH = 14.1;

/**
 * Backs up a database of this many rows while the site is in use, and restores it into an empty cluster, by pg_dump and with a
 * key. An account deleted in between stays deleted. PG_BIN names the folder of pg_dump 18, if it is not in a usual place.
 *
 * @returns a line for each difference
 */
export async function backup(rows: number): Promise<string[]> {
  const programFolder = process.env.PG_BIN || null;
  if (!(await findPrograms(POSTGRES, programFolder))) return [explainMissing(POSTGRES, programFolder)];
  const folder = mkdtempSync(join(tmpdir(), "soak-backup-"));
  chmodSync(folder, 0o755);
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url, max: 5 });
  const settings = databaseSettings(database.url);
  await applyMigrations(settings.DATABASE_OWNER_URL, { siteUrl: settings.DATABASE_URL });
  await fill(pool, Math.ceil(rows / ROWS_EACH));
  const env = {
    ...settings,
    AUTH_SECRET,
    DATA_DIR: join(folder, "data"),
    BACKUP_DIR: join(folder, "backups"),
    BACKUP_KEY: "a key of at least thirty-two characters",
    PG_BIN: programFolder ?? "",
  };
  const servers = [];
  for (let index = 0; index < PROCESSES; index++)
    servers.push(await spawnServer({ ...env, LOG_LEVEL: "error" }));
  try {
    const people = await createSignedInUsers(pool, VISITORS + 1);
    const [leaver, ...visitors] = people;
    const visits = visit(
      servers.map(({ origin }) => origin),
      visitors,
    );
    const made = await run("backup", [], env);
    const { counts, faults } = await visits.end();
    console.log(`meanwhile ${VISITORS} visitors: ${counts}`);
    await leave(servers[0]?.origin ?? "", leaver);
    const listed = await run("backup", ["erasures"], env);
    const restored = await restoreElsewhere(folder, env, leaver?.id ?? "");
    return [...made, ...faults, ...listed, ...restored];
  } finally {
    for (const { child } of servers) await endProcess(child);
    await endPool(pool);
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Restores into an empty cluster, as on another machine. */
async function restoreElsewhere(
  folder: string,
  env: Record<string, string>,
  leaver: string,
): Promise<string[]> {
  const elsewhere = await openEmbeddedPostgres(join(folder, "elsewhere"), console.log);
  try {
    const ownerUrl = withDatabaseName(elsewhere.url, "site");
    const urls = { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: siteUrlOf(ownerUrl) };
    const differences = await run("restore", ["latest"], { ...env, ...urls });
    if (differences.length > 0) return differences;
    const pool = new Pool({ connectionString: ownerUrl, max: 2 });
    try {
      const violations = await findViolations(pool);
      const { rows } = await pool.query(
        `SELECT count(*)::int AS users, count(*) FILTER (WHERE id = $1)::int AS left FROM "user"`,
        [leaver],
      );
      const then = countedRows(env.BACKUP_DIR ?? "")['public."user"'] ?? 0;
      return [
        ...violations.map(({ rule }) => `does not hold once it is restored: ${rule}`),
        ...(rows[0].left === 0 ? [] : ["somebody who was deleted is there again"]),
        ...(rows[0].users === then - 1 ? [] : [`${rows[0].users} users, not ${then} without one`]),
      ];
    } finally {
      await endPool(pool);
    }
  } finally {
    await elsewhere.release();
  }
}

function countedRows(folder: string): Record<string, number> {
  const name = readdirSync(folder).find((name) => /^backup-.*\.json$/.test(name)) ?? "";
  return JSON.parse(readFileSync(join(folder, name), "utf8")).rows;
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

/** Lets users read, join the waitlist and change their names, each with one request at a time, until stopped. */
function visit(origins: string[], visitors: { cookie: string }[]) {
  const counts = new Map<string, number>();
  const faults: string[] = [];
  let isOver = false;
  const working = visitors.map(async ({ cookie }, index) => {
    const origin = origins[index % origins.length] ?? "";
    for (let turn = 0; !isOver; turn++) {
      const requests: [what: string, path: string, body?: Record<string, string>][] = [
        ["public pages", "/pricing"],
        ["dashboards", "/dashboard"],
        ["joining the waitlist", "/waitlist", { email: `visitor${index}-${turn}@example.com` }],
        ["changes of a name", "/account", { name: `Ada ${turn}` }],
      ];
      for (const [what, path, body] of requests) {
        const response = await fetch(origin + path, {
          redirect: "manual",
          headers: { cookie, origin, ...asClient() },
          ...(body && { method: "POST", body: new URLSearchParams(body) }),
        });
        await response.arrayBuffer();
        counts.set(what, (counts.get(what) ?? 0) + 1);
        if (response.status >= 400 && response.status !== 429)
          faults.push(`${what}: answered with ${response.status}`);
      }
    }
  });
  return {
    async end() {
      isOver = true;
      await Promise.all(working);
      return { counts: [...counts].map(([what, count]) => `${count} × ${what}`).join(", "), faults };
    },
  };
}

async function leave(origin: string, person: { id: string; cookie: string } | undefined): Promise<void> {
  if (!person) return;
  const fields = { email: `${person.id}@example.com`, subscription: "" };
  const response = await postAt(origin, { origin }, "/account/delete", fields, person.cookie);
  console.log(
    `somebody deletes their account: ${response.status}, on to ${response.headers.get("location")}`,
  );
}
