import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { applyMigrations } from "../../app/db/migrate.server.ts";
import { type Dice, rollDice } from "../dice.ts";
import { type HaCluster, missingPackages, openHaCluster } from "../ha-cluster.ts";
import { openSite, settled } from "../running-site.ts";
import {
  compareWrites,
  countByKind,
  type MixedLoad,
  prepareMixedLoad,
  startMixedLoad,
  type WriteKind,
} from "./mixed-load.ts";

const PROCESSES = 3;
const KINDS: WriteKind[] = ["sign-up", "redeem", "checkout", "waitlist"];
const AT_ONCE = 16;
/** How long the cluster may take to recover, in seconds. */
const WHOLE_SECONDS = 120;
/** How long the standbys are silent, in seconds. */
const SILENT_SECONDS = 120;
/** Pools close their idle connections within this time, in seconds. */
const IDLE_SECONDS = 15;
/** An idle process keeps one for readiness, one for LISTEN, and one or two of each pool. This run has its own too. */
const MOST_CONNECTIONS = PROCESSES * 6 + 10;

/**
 * Builds the recipe of docs/operate.md on loopback. Kills the primary and switches over under mixed load, half of it through
 * PgBouncer, and looks for every acknowledged write.
 *
 * @returns a line for each difference
 */
export async function failover(times: number, seed: number): Promise<string[]> {
  const missing = missingPackages();
  if (missing) return [missing];
  const dice = rollDice(seed);
  await using cluster = await openHaCluster();
  const [more, fewer] = [Math.ceil(times / 2), Math.floor(times / 2)];
  const direct = { isPooled: false, kills: more, switches: fewer, areStandbysSilent: times >= 3 };
  const pooled = { isPooled: true, kills: fewer, switches: more, areStandbysSilent: false };
  return [...(await under(cluster, direct, dice)), ...(await under(cluster, pooled, dice))];
}

interface Events {
  isPooled: boolean;
  kills: number;
  switches: number;
  /** In the end. */
  areStandbysSilent: boolean;
}

async function under(
  cluster: HaCluster,
  { isPooled, kills, switches, areStandbysSilent }: Events,
  dice: Dice,
): Promise<string[]> {
  const name = isPooled ? "pooled" : "direct";
  const url = await createDatabase(cluster, name);
  const env = {
    DATABASE_URL: cluster.siteUrl(name, isPooled),
    DATABASE_OWNER_URL: url,
    DATABASE_TIMEOUT_SECONDS: "5",
    LOG_LEVEL: "silent",
  };
  await using site = await openSite(PROCESSES, env, { database: { url, drop: async () => {} } });
  await prepareMixedLoad(site);
  const load = await startMixedLoad(site, KINDS, AT_ONCE, dice);
  const events = [...Array(kills).fill("kill -9"), ...Array(switches).fill("switchover")];
  for (const event of events) {
    await cluster.untilWhole(WHOLE_SECONDS);
    await sleep(3_000);
    const since = performance.now();
    const restart = event === "kill -9" ? await cluster.killPrimary() : await cluster.switchOver();
    await untilWritten(load);
    console.log(`${name}, ${event}: first write after ${describeGaps(load, since)}`);
    restart?.();
  }
  await cluster.untilWhole(WHOLE_SECONDS);
  const leftBehind = areStandbysSilent ? await silenceStandbys(cluster, url, load) : [];
  await load.stop();
  const seconds = await settled(site, 120);
  const { lost, doubled, differences } = await compareWrites(site, load.acknowledged);
  console.log(
    `${name}: ${load.acknowledged.length} acknowledged (${countByKind(load.acknowledged)}), ${lost} lost, ${doubled} doubled; settled after ${seconds.toFixed(1)} s`,
  );
  return [...leftBehind, ...differences, ...load.odd];
}

async function createDatabase(cluster: HaCluster, name: string): Promise<string> {
  const query = async (database: string, statement: string) => {
    const client = new Client({ connectionString: cluster.ownerUrl(database) });
    await client.connect();
    return client.query(statement).finally(() => client.end());
  };
  await query("postgres", `CREATE DATABASE ${name}`);
  const url = cluster.ownerUrl(name);
  await applyMigrations(url, { siteUrl: cluster.siteUrl(name, false) });
  // PgBouncer passes none of them on.
  for (const setting of [
    "statement_timeout = '3s'",
    "lock_timeout = '2s'",
    "idle_in_transaction_session_timeout = '15s'",
  ])
    await query(name, `ALTER ROLE site SET ${setting}`);
  return url;
}

/** Waits until each kind of write that is sent from now on has been acknowledged. */
async function untilWritten({ acknowledged }: MixedLoad): Promise<void> {
  const since = performance.now();
  const isWritten = (kind: WriteKind) =>
    acknowledged.some((write) => write.kind === kind && write.sentAt > since);
  while (!KINDS.every(isWritten)) {
    if (performance.now() - since > WHOLE_SECONDS * 1000) throw new Error("no write for two minutes");
    await sleep(100);
  }
  // A switchover may have only just begun.
  await sleep(3_000);
}

/** For each kind, the seconds until the end of the longest gap between acknowledged writes. */
function describeGaps({ acknowledged }: MixedLoad, since: number): string {
  return KINDS.map((kind) => {
    const times = acknowledged.flatMap((write) => (write.kind === kind && write.at > since ? write.at : []));
    const all = [since, ...times.toSorted((a, b) => a - b)];
    const gaps = all.slice(1).map((at, index) => ({ at, length: at - (all[index] ?? at) }));
    const longest = gaps.reduce((a, b) => (b.length > a.length ? b : a), { at: since, length: 0 });
    return `${kind} ${((longest.at - since) / 1000).toFixed(1)} s`;
  }).join(", ");
}

/** Commits wait for silent standbys. Requests give up and leave no connection behind. */
async function silenceStandbys(cluster: HaCluster, url: string, load: MixedLoad): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const count = async () => {
    const { rows } = await client.query(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE wait_event = 'SyncRep')::int AS waiting
       FROM pg_stat_activity WHERE datname = current_database()`,
    );
    return rows[0] as { all: number; waiting: number };
  };
  const since = performance.now();
  const resume = await cluster.freezeStandbys();
  let most = { all: 0, waiting: 0 };
  while (performance.now() - since < SILENT_SECONDS * 1000) {
    await sleep(500);
    const now = await count();
    if (now.all > most.all) most = now;
  }
  console.log(`standbys silent for ${SILENT_SECONDS} s: first write after ${describeGaps(load, since)}`);
  resume();
  await cluster.untilWhole(WHOLE_SECONDS);
  await load.stop();
  await sleep(IDLE_SECONDS * 1000);
  const left = await count();
  await client.end();
  console.log(
    `  ${most.all} connections at most, ${most.waiting} of them waiting for a standby; ${left.all} and ${left.waiting} afterwards`,
  );
  return left.waiting > 0 || left.all > MOST_CONNECTIONS ? [`${left.all} connections are left behind`] : [];
}
