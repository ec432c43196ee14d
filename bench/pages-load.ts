import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import startCluster from "../test/cluster.ts";
import { createMigratedDatabase } from "../test/database.ts";
import { medianOf } from "../test/median.ts";
import { spawnServer } from "../test/server.ts";
import { type Contender, requestsPerSecond } from "./contender.ts";
import { processorSecondsOf } from "./cost-process.ts";
import type { Figure } from "./figures.ts";

const ROUNDS = 7;
const ROUND_SECONDS = 2;

/**
 * Two processes beside one, and how long an answer takes at half of the most a process can do.
 *
 * The machine has no processor left for a second process beside the first and what asks them. So what is compared is the processor time
 * that a request costs: twice that of one process for as many requests means that the second adds nothing.
 *
 * @param startBare starts a bare server with the same answer, which says how much of the wait is the machine's
 */
export async function measureLoad(startBare: () => Promise<Contender>): Promise<Figure[]> {
  const endCluster = await startCluster();
  const bare = await startBare();
  try {
    const { url } = await createMigratedDatabase();
    const servers = [
      await spawnServer({ DATABASE_URL: url }),
      await spawnServer({ DATABASE_URL: url }),
    ] as const;
    const [first] = servers;
    await Promise.all(servers.map(({ origin }) => requestsPerSecond({ url: `${origin}/` }, ROUND_SECONDS)));
    const alone: number[] = [];
    const together: number[] = [];
    const late: number[] = [];
    const bareLate: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await costOfRequest([first]));
      together.push(await costOfRequest(servers));
      late.push(await percentile99AtHalf({ url: `${first.origin}/` }));
      bareLate.push(await percentile99AtHalf(bare));
    }
    for (const { child } of servers) child.kill("SIGTERM");
    const cost = (costs: number[]) => `${(1_000_000 * medianOf(costs)).toFixed(1)} µs`;
    console.log(
      `processor time of a request: ${cost(alone)} of one process, ${cost(together)} of each of two`,
    );
    const gain = medianOf(alone.map((value, round) => (2 * value) / (together[round] ?? Number.NaN)));
    return [
      {
        name: "two processes, requests of one for the same processor time",
        value: gain,
        unit: "×",
        limit: { least: 1.7 },
      },
      {
        name: "99th percentile at half of the most requests",
        value: medianOf(late),
        unit: "ms",
        limit: { most: 5 },
      },
      { name: "the same of bare node:http", value: medianOf(bareLate), unit: "ms" },
    ];
  } finally {
    await bare.end();
    await endCluster();
  }
}

/** In seconds of the servers' processors, while each is asked as fast as it answers. */
async function costOfRequest(
  servers: readonly { origin: string; child: { pid?: number } }[],
): Promise<number> {
  const used = () => servers.reduce((sum, { child }) => sum + processorSecondsOf(child.pid ?? 0), 0);
  const before = used();
  const rates = await Promise.all(
    servers.map(({ origin }) => requestsPerSecond({ url: `${origin}/` }, ROUND_SECONDS)),
  );
  return (used() - before) / (rates.reduce((sum, rate) => sum + rate, 0) * ROUND_SECONDS);
}

/** @returns what the slowest hundredth waits, in milliseconds, when a page is asked for half as often as it can be answered */
async function percentile99AtHalf(contender: Pick<Contender, "url">): Promise<number> {
  const most = await requestsPerSecond(contender, ROUND_SECONDS);
  const program = join(import.meta.dirname, "paced.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program, contender.url, String(most / 2)]);
  return Number(stdout);
}
