import { medianOf } from "../../test/median.ts";
import { withFolder } from "../contender.ts";
import { type MeasuredSite, openMeasuredSite } from "../demands.ts";
import { rollDice } from "../dice.ts";
import type { Figure } from "../figures.ts";
import { readBusy } from "../keep.ts";
import { closedLoad, openLoad, type Sent } from "../load.ts";
import { DASHBOARD, OPERATIONS } from "../operations.ts";
import { processorTimeOf, processorTimeOfCluster } from "../processor-time.ts";
import type { Calibration } from "./model.ts";
import { allEqual, byChance, shareOf, simulateWaits } from "./queue.ts";

const ROUNDS = 5;
const SECONDS = 3;
const CALLERS = 32;
const PROCESSES = 2;
const SEED = 15;
/** How far a prediction may be off, either way. */
const MOST_TIMES_OFF = 1.3;

interface Reached {
  perSecond: number;
  /** How many processors of the machine were left for all that was measured. */
  cores: number;
  /** Processor milliseconds of one request of whoever asked. */
  client: number;
}

/**
 * Measures what the model predicts: how many dashboards a second one process and two can render beside PostgreSQL and whoever asks,
 * on the processors that other work leaves them; and how long people wait at half of that.
 */
export function checkModel({ demands }: Calibration): Promise<Figure[]> {
  const demand = demands.get(DASHBOARD);
  const dashboard = OPERATIONS.find(({ name }) => name === DASHBOARD);
  if (!demand || !dashboard) throw new Error("the dashboard was not measured");
  return withFolder(async (folder) => {
    const site = await openMeasuredSite(folder, PROCESSES);
    try {
      const prepared = await dashboard.prepare(site.pool, CALLERS);
      const next = (index: number) => prepared(index, site.publicOrigin);
      const counts = Array.from({ length: PROCESSES }, (_, index) => index + 1);
      const measured = counts.map((): Reached[] => []);
      // The first round is not counted: it makes what is made once.
      for (let round = 0; round <= ROUNDS; round++)
        for (const processes of round % 2 === 0 ? counts : counts.toReversed()) {
          const reached = await reach(site, processes, next);
          if (round > 0) measured[processes - 1]?.push(reached);
        }
      const predict = (processes: number, { cores, client }: Reached) =>
        1000 *
        Math.min(processes / demand.main, cores / (demand.main + demand.others + demand.postgres + client));
      const figures = measured.flatMap((rounds, at): Figure[] => {
        const predicted = medianOf(rounds.map((round) => predict(at + 1, round)));
        const found = medianOf(rounds.map(({ perSecond }) => perSecond));
        const who = at === 0 ? "one process" : `${at + 1} processes`;
        return [
          { name: `dashboards of ${who}: predicted`, value: predicted, unit: "a second" },
          { name: `dashboards of ${who}: measured`, value: found, unit: "a second" },
          {
            name: `dashboards of ${who}: how far off the prediction is`,
            value: Math.max(found / predicted, predicted / found),
            unit: "×",
            limit: { most: MOST_TIMES_OFF },
          },
        ];
      });
      const most = medianOf(measured[0]?.map(({ perSecond }) => perSecond) ?? []);
      return [...figures, ...(await waitsAtHalf(site, most / 2000, next))];
    } finally {
      await site.end();
    }
  });
}

async function reach(site: MeasuredSite, processes: number, next: (index: number) => Sent): Promise<Reached> {
  const before = { ours: readOurs(site), machine: readBusy(), client: process.cpuUsage() };
  const load = await closedLoad(site.origins.slice(0, processes), next, CALLERS, SECONDS);
  const after = { ours: readOurs(site), machine: readBusy() };
  const { user, system } = process.cpuUsage(before.client);
  const client = (user + system) / 1000;
  const machine = after.machine.all - before.machine.all;
  const others = Math.max(0, after.machine.busy - before.machine.busy - (after.ours - before.ours) - client);
  return {
    perSecond: load.answered / load.seconds,
    cores: (machine - others) / 1000 / load.seconds,
    client: client / load.answered,
  };
}

const readOurs = ({ pids, postmaster }: MeasuredSite) =>
  pids.map(processorTimeOf).reduce((sum, { main, others }) => sum + main + others, 0) +
  processorTimeOfCluster(postmaster);

/**
 * What 99 of 100 people wait for at most while they come by chance, half as many as one process can take, beside what a simulated
 * line makes of the time that one alone takes.
 *
 * @param arrivals a millisecond
 */
async function waitsAtHalf(
  site: MeasuredSite,
  arrivals: number,
  next: (index: number) => Sent,
): Promise<Figure[]> {
  const origins = site.origins.slice(0, 1);
  const alone = medianOf((await closedLoad(origins, next, 1, SECONDS)).waits);
  const dice = rollDice(SEED);
  const moments: number[] = [];
  for (let at = 0; at < ROUNDS * SECONDS * 1000; at += byChance(dice, 1 / arrivals)) moments.push(at);
  const { waits } = await openLoad(origins, next, moments);
  // One server at half its load, whatever it is that one has to wait for.
  const queue = { servers: 1, arrivals: 0.5, service: 1 };
  const line = simulateWaits(queue, allEqual, 100_000, SEED).map((wait) => wait / (2 * arrivals));
  return [
    { name: "a dashboard at half of that, 99%: predicted", value: alone + shareOf(line, 0.99), unit: "ms" },
    { name: "a dashboard at half of that, 99%: measured", value: shareOf(waits, 0.99), unit: "ms" },
  ];
}
