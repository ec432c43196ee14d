import startCluster from "../test/cluster.ts";
import { onCluster } from "../test/database.ts";
import { demandSpace, watchDisk } from "./disk.ts";
import { createWatch, describeDisturbance, measureUndisturbed } from "./disturbance.ts";
import type { Figure } from "./figures.ts";
import { clearGarbage } from "./garbage.ts";
import {
  CLAIM,
  count,
  DONE_ONCE,
  type Filled,
  ONCE,
  openFilled,
  SWEEPS,
  WORK,
  type Work,
} from "./growth-work.ts";
import { pool, quantile, type Round, ratioOfMedians, ratioOfTails } from "./samples.ts";

const SIZES = [1_000, 100_000, 1_000_000];
/** What a row a thousand times as many may cost. */
const LIMIT = 1.2;
const ROUNDS = 5;
/**
 * In each round, in each database, in turn: 5,000 in all rounds, so that fifty are slower than the 99th percentile. With ten, two databases
 * of one size were 0.71 to 1.61 times each other there.
 */
const TIMES = 1_000;
/** Done before, in each database: until this process has compiled what runs. */
const WARM_UP = 500;
/** Sweeps are longer, and nobody waits for them, so that their tails are not looked at. */
const SWEPT_TIMES = 9;
/** A sweep looks at so many days, or customers, of which the smallest have fewer: what it costs is compared from here on. */
const LEAST_SWEPT = 100_000;

/**
 * `npm run bench -- growth`, or with sizes, `npm run bench -- growth 1000 10000000`: what people and operators wait for, with so many
 * users, sessions, codes, grants, subscriptions, invoices, events, jobs, mails and rows of the audit log. All databases are filled in
 * one cluster and asked in turn, for the same few people again and again, so that both find them in memory; the figures compare the
 * largest with the smallest. Ten million take 30 GB while it runs, and about a quarter of an hour to fill.
 */
export async function run(): Promise<Figure[]> {
  const sizes = sizesOf(process.argv.slice(3).map(Number));
  await demandSpace(sizes);
  const endCluster = await startCluster();
  const disk = watchDisk();
  const all: Filled[] = [];
  try {
    // It would read large tables while small ones are measured.
    for (const setting of ["autovacuum = off", "max_wal_size = '4GB'", "checkpoint_timeout = '1h'"])
      await onCluster(`ALTER SYSTEM SET ${setting}`);
    await onCluster("SELECT pg_reload_conf()");
    for (const size of sizes) {
      const begun = performance.now();
      const filled = await openFilled(size);
      all.push(filled);
      console.log(`filled with ${size} of everything in ${secondsSince(begun)} s: ${await sizeOf(filled)}`);
    }
    const swept = all.filter(({ size }) => size >= LEAST_SWEPT);
    for (const filled of swept)
      console.log(
        `the figures of ${filled.size}, counted for the first time: ${((await count(filled)) / 1000).toFixed(1)} s`,
      );
    for (const filled of all) await filled.renewSessions();
    // What was written so far is on its way to the disk, or would be while something is measured.
    await onCluster("CHECKPOINT");
    const figures: Figure[] = [];
    for (const [name, work] of Object.entries(WORK)) {
      const rounds = await compare(all, name, work, TIMES);
      figures.push(
        figureOf(`${name}, p50`, ratioOfMedians(rounds)),
        figureOf(`${name}, p99`, ratioOfTails(rounds)),
      );
      if (name === CLAIM) for (const filled of all) await filled.deleteClaimable();
    }
    if (swept.length > 1)
      for (const [name, work] of Object.entries(SWEEPS))
        figures.push(figureOf(name, ratioOfMedians(await compare(swept, name, work, SWEPT_TIMES))));
    return figures;
  } finally {
    for (const filled of all) await filled.close();
    await endCluster();
    console.log(`the disk had ${disk.end()} GB more on it at most`);
  }
}

/** From the smallest; and one that is enough for sweeps to be compared with, whichever were asked for. */
function sizesOf(given: number[]): number[] {
  if (given.some((size) => !Number.isInteger(size) || size < 1_000))
    throw new Error("a size is a whole number from 1000 on");
  const sizes = given.length > 1 ? given : SIZES;
  const isSwept = sizes.some((size) => size > LEAST_SWEPT);
  return [...new Set([...sizes, ...(isSwept ? [LEAST_SWEPT] : [])])].toSorted((one, other) => one - other);
}

const figureOf = (name: string, value: number): Figure => ({
  name,
  value,
  unit: "×",
  limit: { most: LIMIT },
});

/** Does some work in all databases in turn. @returns its rounds, as the quietest try had them */
async function compare(all: Filled[], name: string, work: Work, times: number): Promise<Round[]> {
  const turns = new Map(all.map((filled) => [filled, 0]));
  const next = (filled: Filled) => {
    const turn = turns.get(filled) ?? 0;
    turns.set(filled, turn + 1);
    return turn;
  };
  const pages: number[] = [];
  for (const filled of all) {
    for (let time = 0; time < Math.min(times, WARM_UP); time++) await work(filled, next(filled));
    pages.push(await pagesOf(filled, () => work(filled, next(filled))));
  }
  const watch = await createWatch(demandFirst(all).pool);
  const tried = await measureUndisturbed(
    () => watch(() => measureRounds(all, work, next, times)),
    () => !DONE_ONCE.has(name) || turns.values().every((turn) => turn + ROUNDS * times <= ONCE),
  );
  const pooled = pool(tried.result);
  const described = all.map(
    ({ size }, index) =>
      `${size}: ${quantile(pooled[index] ?? [], 0.5).toFixed(2)} and ${quantile(pooled[index] ?? [], 0.99).toFixed(2)} ms, ${pages[index]} pages`,
  );
  console.log(`${name.padEnd(28)} ${described.join("; ")}${describeDisturbance(tried)}`);
  return tried.result;
}

function demandFirst(all: readonly Filled[]): Filled {
  const [first] = all;
  if (!first) throw new Error("there is nothing to compare");
  return first;
}

async function measureRounds(
  all: Filled[],
  work: Work,
  next: (filled: Filled) => number,
  repeats: number,
): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const timed = all.map((filled) => ({ filled, times: [] as number[] }));
    for (let time = 0; time < repeats; time++) {
      for (const { filled, times } of timed) {
        clearGarbage();
        const begun = performance.now();
        await work(filled, next(filled));
        times.push(performance.now() - begun);
      }
      // The smallest is not always asked after the largest.
      timed.reverse();
    }
    rounds.push(all.map((filled) => timed.find((each) => each.filled === filled)?.times ?? []));
  }
  return rounds;
}

/** How many pages of the database are looked at, whether they are in its cache or not: which no other load changes. */
async function pagesOf({ pool, db }: Filled, work: () => Promise<unknown>): Promise<number> {
  const times = 10;
  const read = async () => {
    // What each connection has counted is told to all when it is idle.
    const flush = "SELECT pg_stat_force_next_flush(), pg_sleep(0.02)";
    await Promise.all([
      ...[0, 1].map(() => db.$client.query(flush)),
      ...[0, 1, 2].map(() => pool.query(flush)),
    ]);
    const { rows } = await pool.query<{ pages: number }>(
      `SELECT (SELECT sum(heap_blks_hit + heap_blks_read) FROM pg_statio_user_tables)::float8
         + (SELECT sum(idx_blks_hit + idx_blks_read) FROM pg_statio_user_indexes)::float8 AS pages`,
    );
    return rows[0]?.pages ?? 0;
  };
  const before = await read();
  for (let time = 0; time < times; time++) await work();
  return Math.round((await read()) - before) / times;
}

async function sizeOf({ pool }: Filled): Promise<string> {
  const { rows } = await pool.query<{ size: string }>(
    "SELECT pg_size_pretty(pg_database_size(current_database())) AS size",
  );
  return rows[0]?.size ?? "";
}

const secondsSince = (begun: number) => ((performance.now() - begun) / 1000).toFixed(1);
