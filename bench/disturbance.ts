import type { Pool } from "pg";
import { readBusy } from "./keep.ts";
import { parentOf, processorTimeOf, processorTimeOfCluster } from "./processor-time.ts";

/** Of the machine: a quarter of one core of two, with which what is measured rarely waits for a core. */
const MOST_OTHERS = 0.125;
/** A disturbed try is made again so often at most. */
const TRIES = 3;

/** What came of it, and which share of the machine's processors others used meanwhile. */
export interface Watched<Result> {
  result: Result;
  others: number;
}

/** @returns what runs something and says how busy others were meanwhile: neither this process nor the database's cluster */
export async function createWatch(pool: Pool): Promise<<R>(work: () => Promise<R>) => Promise<Watched<R>>> {
  const { rows } = await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  const read = () => {
    const { main, others } = processorTimeOf(process.pid);
    return { ...readBusy(), own: main + others + processorTimeOfCluster(postmaster) };
  };
  return async (work) => {
    const before = read();
    const result = await work();
    const after = read();
    const spent = after.busy - before.busy - (after.own - before.own);
    return { result, others: Math.max(0, spent) / Math.max(1, after.all - before.all) };
  };
}

/**
 * Measures once; again, and whole, only while others were busy, whatever came of it: to try until a figure is good would be to pick
 * a lucky one. If they always were, what was disturbed least counts.
 *
 * @param mayRepeat asked before each further try
 */
export async function measureUndisturbed<Result>(
  measure: () => Promise<Watched<Result>>,
  mayRepeat: () => boolean = () => true,
): Promise<Watched<Result> & { tries: number }> {
  let best = await measure();
  let tries = 1;
  while (best.others > MOST_OTHERS && tries < TRIES && mayRepeat()) {
    const again = await measure();
    tries++;
    if (again.others < best.others) best = again;
  }
  return { ...best, tries };
}

/** How it was, for the log; nothing when all was quiet. */
export function describeDisturbance({ others, tries }: { others: number; tries: number }): string {
  if (others <= MOST_OTHERS && tries === 1) return "";
  return `; others used ${Math.round(100 * others)} % of the machine in the quietest of ${tries} tries`;
}
