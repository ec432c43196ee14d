import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { freePort } from "../../../app/db/embedded.server.ts";
import { createDatabase, databaseSettings } from "../../database.ts";
import { AUTH_SECRET, endProcess, endServers, untilReady } from "../../server.ts";
import { settled } from "../site.ts";
import { openBalancer } from "./balancer.ts";
import { assetsIn, type Count, type Load, startLoad } from "./load.ts";
import { prepareVersions, type Version } from "./versions.ts";

/**
 * A rolling upgrade under load, behind a load balancer: two processes of the version before the newest migration run during the
 * migration, then each is replaced in turn, and one is put back for a while. Every request succeeds, and every page gets the scripts
 * and styles of its own version.
 *
 * @param seconds of load between two steps
 * @returns a line for each request that failed, and for what was lost
 */
export async function upgrade(seconds: number): Promise<string[]> {
  const { before, after, remove } = prepareVersions();
  const database = await createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "upgrade-data-"));
  const pool = new Pool({ connectionString: database.url, max: 10 });
  pool.on("error", () => {});
  const [port, ...ports] = [String(await freePort()), String(await freePort()), String(await freePort())];
  const env = {
    PATH: process.env.PATH,
    AUTH_SECRET,
    LOG_LEVEL: "warn",
    HOST: "127.0.0.1",
    PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
    TRUSTED_PROXIES: "loopback",
    DRAIN_SECONDS: "3",
    SANDBOX_STRIPE_PORT: "0",
    DATA_DIR: dataDir,
    ...databaseSettings(database.url),
  };
  const children: ChildProcess[] = [];
  const start = async ({ folder }: Version, index: number) => {
    const args = ["--import=./test/end-with-parent.ts", "server.ts"];
    const child = startNode(folder, args, { ...env, PORT: ports[index] });
    children[index] = child;
    child.stderr.pipe(process.stderr);
    await untilReady(child);
  };

  for (const index of ports.keys()) await start(before, index);
  const balancer = await openBalancer(port, ports);
  let load: Load | undefined;
  try {
    for (const to of ports) await balancer.until(to, true);
    load = await startLoad(env.PUBLIC_ORIGIN, pool);
    const between = async (step: string) => {
      console.log(`${new Date().toISOString().slice(11, 19)} ${step}; ${balancer.answered()}`);
      await sleep(seconds * 1000);
    };
    await between("two processes of the version before");
    await migrate(after, env);
    await between("the schema is that of the new version");
    const replace = async (index: number, version: Version) => {
      const to = ports[index] ?? "";
      if (children[index]) await endProcess(children[index]);
      await balancer.until(to, false);
      await start(version, index);
      await balancer.until(to, true);
    };
    const crossed: string[] = [];
    for (const index of ports.keys()) {
      await replace(index, after);
      crossed.push(...(await askCrosswise(ports, load.cookie)));
      await between(`process ${index + 1} is of the new version`);
    }
    await replace(0, before);
    await between("process 1 went back to the version before");
    await replace(0, after);
    await between("process 1 is of the new version again");
    await load.stop();
    const failures = report(load.counts);
    console.log(`all jobs done ${(await settled({ pool }, 120)).toFixed(1)} s after the last request`);
    return [
      ...failures,
      ...crossed,
      ...(await findLost(pool, load.counts)),
      ...(await askForAll(load.assets, ports, after)),
    ];
  } finally {
    await load?.stop();
    balancer.close();
    await endServers(children, { pool, database, dataDir }).finally(remove);
  }
}

function startNode(folder: string, args: string[], env: Record<string, string | undefined>) {
  return spawn(process.execPath, args, { cwd: folder, env, stdio: "pipe" });
}

/** `npm run migrate` with the new version. */
async function migrate({ folder }: Version, env: Record<string, string | undefined>): Promise<void> {
  const child = startNode(folder, ["bin/migrate.ts"], env);
  child.stdout.pipe(process.stdout);
  child.stderr.pipe(process.stderr);
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`the migration ended with ${status}`);
}

/** Prints a line for each kind of request. @returns a line for each that failed */
function report(counts: ReadonlyMap<string, Count>): string[] {
  for (const [kind, { asked, failures, milliseconds }] of counts) {
    const sorted = milliseconds.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
    console.log(
      `${kind}: ${asked} requests, ${failures.length} failed; ${at(0.5)} ms, 99%: ${at(0.99)}, slowest ${at(1)}`,
    );
  }
  return [...counts].flatMap(([kind, { failures }]) => failures.map((failure) => `${kind}: ${failure}`));
}

/** Everything acknowledged was done once. */
async function findLost(pool: Pool, counts: ReadonlyMap<string, Count>): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM waitlist) AS waiting, (SELECT count(*)::int FROM grants) AS grants,
       (SELECT used_count FROM promo_codes WHERE code = 'UPGRADE') AS uses`,
  );
  const done = (kind: string) => (counts.get(kind)?.asked ?? 0) - (counts.get(kind)?.failures.length ?? 0);
  const { waiting, grants, uses } = rows[0];
  const redeemed = ["", " by the router", " on an older page"]
    .map((way) => done(`redeeming a code${way}`))
    .reduce((sum, count) => sum + count);
  const wanted = [done("joining the waitlist"), redeemed, redeemed];
  const found = [waiting, grants, uses];
  console.log(`${waiting} on the waitlist, ${grants} plans of ${uses} uses`);
  return String(found) === String(wanted) ? [] : [`found ${found}, not ${wanted}`];
}

/** Requests the files named by a page of one process from the other. */
async function askCrosswise(ports: readonly string[], cookie: string): Promise<string[]> {
  const lost: string[] = [];
  for (const [index, from] of ports.entries()) {
    const to = ports[1 - index];
    const page = await fetch(`http://127.0.0.1:${from}/dashboard`, { headers: { cookie } });
    const named = assetsIn(await page.text());
    if (named.size === 0) lost.push(`a page of :${from} names no script`);
    for (const name of named) {
      const { status } = await fetch(`http://127.0.0.1:${to}${name}`, { method: "HEAD" });
      if (status !== 200) lost.push(`${name}, which a page of :${from} names: ${status} by :${to}`);
    }
  }
  return lost;
}

/** Requests the files of both versions from each process of the new one. */
async function askForAll(
  assets: ReadonlySet<string>,
  ports: readonly string[],
  { folder }: Version,
): Promise<string[]> {
  const older = [...assets].filter((name) => !existsSync(join(folder, "build/client", name)));
  const lost: string[] = [];
  for (const name of assets)
    for (const port of ports) {
      const response = await fetch(`http://127.0.0.1:${port}${name}`);
      await response.arrayBuffer();
      if (response.status !== 200) lost.push(`${name} is lost: ${response.status} by :${port}`);
    }
  console.log(
    `${assets.size} scripts and styles were named by pages, ${older.length} of them only by the version before`,
  );
  return lost;
}
