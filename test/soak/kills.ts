import { setTimeout as sleep } from "node:timers/promises";
import { createMigratedDatabase, onCluster } from "../database.ts";
import { pick, rollDice } from "../dice.ts";
import { eventually } from "../http.ts";
import { openSite, type Site, settled } from "../running-site.ts";
import {
  type Acknowledged,
  ALL_KINDS,
  compareWrites,
  countByKind,
  prepareMixedLoad,
  startMixedLoad,
} from "./mixed-load.ts";

const PROCESSES = 3;
/** After this many kills the load pauses until everything has settled. */
const ROUND = 50;
/** How long everything may take to settle after the last start, in seconds. */
const SETTLED_SECONDS = 60;
/** The longest time between two kills, in milliseconds. */
const LONGEST_MILLISECONDS = 700;

/**
 * Kills processes and the database in turn (SIGKILL) at random moments of a mixed load. Each write is retried until it is
 * acknowledged. In the end each was done once.
 *
 * @param options.isClusterOurs whether no other test uses the database's server: only then is it killed
 * @param options.people who write at most
 * @returns a line for each difference
 */
export async function kills(
  times: number,
  seed: number,
  { isClusterOurs = true, atOnce = 8, people = 3_000 } = {},
): Promise<string[]> {
  const dice = rollDice(seed);
  const database = await createMigratedDatabase();
  // Test databases may lose their last writes in a crash.
  await onCluster(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET synchronous_commit = on`);
  await using site = await openSite(PROCESSES, {}, { database });
  /** Processes that are down. Each promise resolves when its process is up again. */
  const starting = new Map<number, Promise<unknown>>();
  let processesKilled = 0;
  /** Leaves at least one up. */
  async function killProcess(): Promise<void> {
    const up = site.origins.flatMap((_, index) => (starting.has(index) ? [] : index));
    if (up.length < 2) return Promise.race(starting.values()).then(killProcess);
    const index = pick(dice, up);
    processesKilled++;
    starting.set(index, restart(index));
  }
  async function restart(index: number): Promise<void> {
    // A start fails when the database goes away, and is repeated, as a supervisor does.
    await site.killAndRestart(index).catch(() => restart(index));
    starting.delete(index);
  }
  await prepareMixedLoad(site);
  const acknowledged: Acknowledged[] = [];
  const odd = new Set<string>();
  let longest = 0;
  for (let killed = 0; killed < times; ) {
    const load = await startMixedLoad(site, ALL_KINDS, atOnce, dice, people);
    for (const end = Math.min(times, killed + ROUND); killed < end; killed++) {
      await sleep(dice() * LONGEST_MILLISECONDS);
      if (isClusterOurs && killed % 2 === 1) await killDatabase(site);
      else await killProcess();
    }
    await Promise.all(starting.values());
    await load.stop();
    longest = Math.max(longest, await settled(site, SETTLED_SECONDS));
    acknowledged.push(...load.acknowledged);
    for (const line of load.odd) odd.add(line);
    console.log(`${killed} kills, ${acknowledged.length} acknowledged`);
  }
  const { lost, doubled, differences } = await compareWrites(site, acknowledged);
  console.log(
    `killed ${processesKilled} processes and ${times - processesKilled} times the database: ${acknowledged.length} acknowledged (${countByKind(acknowledged)}), ${lost} lost, ${doubled} doubled; the outbox was empty after ${longest.toFixed(1)} s at most`,
  );
  return [...differences, ...odd];
}

/** Ends one of the site's connections with SIGKILL, at which PostgreSQL ends all others and recovers from its log. */
async function killDatabase({ pool }: Pick<Site, "pool">): Promise<void> {
  const { rows } = await pool.query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
     ORDER BY random() LIMIT 1`,
  );
  if (!rows[0]) return;
  process.kill(rows[0].pid, "SIGKILL");
  const hasRecovered = async () =>
    (await pool.query("SELECT FROM pg_stat_activity WHERE pid = $1", [rows[0].pid])).rowCount === 0;
  await eventually(() => hasRecovered().catch(() => false), "the database has recovered");
}
