import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { freePort } from "../../../app/db/embedded.server.ts";
import { runAsProcess } from "../../command.ts";
import { createDatabase, databaseSettings } from "../../database.ts";
import { openSite, settled } from "../../running-site.ts";
import { get } from "../../users.ts";
import { describeTimes } from "../report.ts";
import { openBalancer } from "./balancer.ts";
import { assetsIn, type Count, startLoad } from "./load.ts";
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
  using versions = prepareVersions();
  const { before, after } = versions;
  const database = await createDatabase();
  const port = String(await freePort());
  const publicOrigin = `http://127.0.0.1:${port}`;
  const env = {
    PUBLIC_ORIGIN: publicOrigin,
    LOG_LEVEL: "warn",
    DRAIN_SECONDS: "3",
    DATABASE_TIMEOUT_SECONDS: "5",
  };
  await using site = await openSite(2, env, { database, program: before });
  using balancer = await openBalancer(port, site.origins);
  for (const origin of site.origins) await balancer.until(origin, true);
  await using load = await startLoad(publicOrigin, site.pool);
  const between = async (step: string) => {
    console.log(`${new Date().toISOString().slice(11, 19)} ${step}; ${balancer.answered()}`);
    await sleep(seconds * 1000);
  };
  const replace = async (index: number, version: Version) => {
    const origin = site.origins[index] ?? "";
    await site.end(index);
    await balancer.until(origin, false);
    await site.start(index, version);
    await balancer.until(origin, true);
  };

  await between("two processes of the version before");
  const settings = { ...site.environment, ...databaseSettings(database.url) };
  const { code, printed } = await runAsProcess(join(after.folder, "bin/migrate.ts"), [], settings);
  if (code !== 0) throw new Error(`the migration ended with ${code}:\n${printed}`);
  await between("the schema is that of the new version");
  const lost: string[] = [];
  for (const index of site.origins.keys()) {
    await replace(index, after);
    lost.push(...(await askCrosswise(site.origins, load.cookie)));
    await between(`process ${index + 1} is of the new version`);
  }
  await replace(0, before);
  await between("process 1 went back to the version before");
  await replace(0, after);
  await between("process 1 is of the new version again");
  await load.stop();
  const failures = report(load.counts);
  console.log(`all jobs done ${(await settled(site, 120)).toFixed(1)} s after the last request`);
  const older = [...load.assets].filter((name) => !existsSync(join(after.folder, "build/client", name)));
  console.log(
    `${load.assets.size} scripts and styles were named by pages, ${older.length} of them only by the version before`,
  );
  lost.push(...(await findMissing(load.assets, site.origins)));
  return [...failures, ...lost, ...(await findLost(site.pool, load.counts))];
}

/** Prints a line for each kind of request. @returns a line for each that failed */
function report(counts: ReadonlyMap<string, Count>): string[] {
  for (const [kind, { asked, failures, milliseconds }] of counts)
    console.log(`${kind}: ${asked} requests, ${failures.length} failed; ${describeTimes(milliseconds)}`);
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

/** Requests the files named by a page of each process from the other. */
async function askCrosswise(origins: readonly string[], cookie: string): Promise<string[]> {
  const lost: string[] = [];
  for (const origin of origins) {
    const page = await get({ origin }, "/dashboard", cookie);
    const named = assetsIn(await page.text());
    if (named.size === 0) lost.push(`a page of ${origin} names no script`);
    const others = origins.filter((other) => other !== origin);
    lost.push(...(await findMissing(named, others)));
  }
  return lost;
}

/** The files that one of the processes does not have. */
async function findMissing(names: ReadonlySet<string>, origins: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const name of names)
    for (const origin of origins) {
      const response = await get({ origin }, name);
      await response.arrayBuffer();
      if (response.status !== 200) missing.push(`${name} is lost: ${response.status} by ${origin}`);
    }
  return missing;
}
