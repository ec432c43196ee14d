import { once } from "node:events";
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";
import { endPool } from "../app/db/client.server.ts";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { applyMigrations } from "../app/db/migrate.server.ts";
import { medianOf } from "../test/median.ts";
import { spawnServer } from "../test/server.ts";
import { withFolder } from "./contender.ts";
import { type Demand, formatDemands, keepDemands } from "./demand-table.ts";
import type { Figure } from "./figures.ts";
import { fill } from "./fill.ts";
import { isWriting } from "./keep.ts";
import { closedLoad, type Sent } from "./load.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { parentOf, processorTimeOf, processorTimeOfCluster } from "./processor-time.ts";
import { shareOf } from "./scale/queue.ts";

const ROUNDS = 5;
const SECONDS = 2;
/** More than all rounds of an operation can ask for, of what is used up. */
const MOST = 60_000;
const SYNCS = 200;
/** Of everything, before anybody comes: tables of some pages are read whole, by plans that are kept while they grow. */
const ROWS = 20_000;
/** A page of the write-ahead log. */
const PAGE_BYTES = 8192;

/** A site whose costs are measured: one web process or more, and a PostgreSQL with rows, that keeps what it is told through a power cut. */
export interface MeasuredSite {
  origins: string[];
  /** The address that people know, behind which all of them are. */
  publicOrigin: string;
  pids: number[];
  postmaster: number;
  /** As the owner of the tables. */
  pool: Pool;
  /** The database as the site uses it. */
  siteUrl: string;
  end(): Promise<void>;
}

export async function openMeasuredSite(folder: string, processes: number): Promise<MeasuredSite> {
  const postgres = await openEmbeddedPostgres(join(folder, "data"), () => {});
  const servers: Awaited<ReturnType<typeof spawnServer>>[] = [];
  const pool = new Pool({ connectionString: postgres.url, max: 3 });
  pool.on("error", () => {});
  await applyMigrations(postgres.url, { siteUrl: postgres.siteUrl });
  await fill(pool, ROWS);
  for (let process = 0; process < processes; process++)
    servers.push(
      await spawnServer({
        DATABASE_URL: postgres.siteUrl,
        DATABASE_OWNER_URL: postgres.url,
        DATA_DIR: join(folder, "data"),
        // Jobs wait: only what was asked for is measured.
        ROLE: "web",
        // One origin for all of them, as behind a balancer.
        PUBLIC_ORIGIN: servers[0]?.origin ?? "",
      }),
    );
  const { rows } = await pool.query("SELECT pg_backend_pid() AS pid");
  return {
    origins: servers.map(({ port }) => `http://127.0.0.1:${port}`),
    publicOrigin: servers[0]?.origin ?? "",
    pids: servers.map(({ child }) => child.pid ?? 0),
    postmaster: parentOf(rows[0].pid),
    pool,
    siteUrl: postgres.siteUrl,
    async end() {
      for (const { child } of servers) {
        const exited = once(child, "exit");
        child.kill("SIGTERM");
        await exited;
      }
      await endPool(pool);
      await postgres.release();
    },
  };
}

/** The figure's name, by which the model finds it again. */
export const FLUSH = "one flush of the write-ahead log to the disk";

/**
 * Service demands, as queueing theory calls them: what one operation takes of the site's process, of PostgreSQL, of the log and of
 * the network. Processor time is what the system counted for these processes, so other work on the machine changes it little.
 *
 * @returns amounts without limits, for the model of docs/scale.md
 */
export function run(): Promise<Figure[]> {
  return withFolder(async (folder) => {
    const site = await openMeasuredSite(folder, 1);
    try {
      // Other work on the machine only adds to it.
      const flush = shareOf(flushTimes(join(folder, "flushed")), 0.25);
      const demands = new Map<string, Demand>();
      for (const operation of OPERATIONS) demands.set(operation.name, await demandOf(site, operation));
      console.log(formatDemands(demands));
      if (isWriting) keepDemands(demands);
      return [
        { name: FLUSH, value: flush, unit: "ms" },
        ...[...demands].map(([operation, { main, others, postgres }]) => ({
          name: `${operation}: processor time of all`,
          value: main + others + postgres,
          unit: "ms",
        })),
      ];
    } finally {
      await site.end();
    }
  });
}

/** The median of some rounds, after one that is not counted: it makes what is made once. */
async function demandOf(site: MeasuredSite, operation: Operation): Promise<Demand> {
  const rounds: Demand[] = [];
  const prepared = await operation.prepare(site.pool, MOST);
  // What PostgreSQL does by itself after so many new rows is not what one operation takes.
  await site.pool.query("VACUUM (ANALYZE)");
  let sent = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const demand = await demandOfRound(site, () => prepared(sent++, site.publicOrigin), operation.atOnce);
    if (round > 0) rounds.push(demand);
  }
  const of = (part: keyof Demand) => medianOf(rounds.map((round) => round[part]));
  return {
    main: of("main"),
    others: of("others"),
    postgres: of("postgres"),
    wal: of("wal"),
    transactions: of("transactions"),
    bytes: of("bytes"),
  };
}

async function demandOfRound(site: MeasuredSite, next: () => Sent, atOnce: number): Promise<Demand> {
  const before = await readSpent(site);
  const load = await closedLoad(site.origins, next, atOnce, SECONDS);
  const after = await readSpent(site);
  const each = (part: Exclude<keyof Demand, "bytes">) => (after[part] - before[part]) / load.answered;
  return {
    main: each("main"),
    others: each("others"),
    postgres: each("postgres"),
    wal: each("wal"),
    transactions: each("transactions"),
    bytes: load.bytes / load.answered,
  };
}

async function readSpent({ pids, postmaster, pool }: MeasuredSite): Promise<Omit<Demand, "bytes">> {
  const { rows } = await pool.query(
    `SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal, pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS transactions`,
  );
  const [time = { main: Number.NaN, others: Number.NaN }] = pids.map(processorTimeOf);
  return { ...time, postgres: processorTimeOfCluster(postmaster), ...rows[0] };
}

/** Milliseconds that the disk takes to keep a page of the log, each of some times. */
function flushTimes(file: string): number[] {
  const handle = openSync(file, "w");
  try {
    return Array.from({ length: SYNCS }, () => {
      writeSync(handle, Buffer.alloc(PAGE_BYTES));
      const begun = performance.now();
      fdatasyncSync(handle);
      return performance.now() - begun;
    });
  } finally {
    closeSync(handle);
    rmSync(file);
  }
}
