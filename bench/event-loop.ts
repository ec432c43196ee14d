import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import startCluster from "../test/cluster.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { describeInput, openWorstRequests } from "../test/worst-requests.ts";
import type { Figure } from "./figures.ts";
import { isWriting } from "./keep.ts";

/** The longest a request may keep the others waiting, in milliseconds. */
const MOST_MILLISECONDS = 100;
/** A busy machine holds things up too, but hardly three times at the same request. */
const TRIES = 3;

/**
 * How long the worst requests keep everybody else waiting, of every entrance. The longest of each go into
 * docs/measurements.md.
 *
 * @returns the longest of all
 */
export async function run(): Promise<Figure[]> {
  const endCluster = await startCluster();
  const server = await startServer({ LOG_LEVEL: "silent" });
  try {
    return await measure(server);
  } finally {
    await server.stop();
    await endCluster();
  }
}

async function measure(server: TestServer): Promise<Figure[]> {
  const { requests, send } = await openWorstRequests(server);
  const longest = new Map<string, number>();
  const faults: string[] = [];
  for (const { method, path, inputs } of requests) {
    const entrance = `${method} ${path}`;
    for (const input of inputs) {
      const delay = await shortestOf(TRIES, () => delayOf(server, () => send(input)));
      longest.set(entrance, Math.max(longest.get(entrance) ?? 0, delay));
      if (delay > MOST_MILLISECONDS) faults.push(`${Math.round(delay)} ms for ${describeInput(input)}`);
    }
  }
  for (const fault of faults) console.log(fault);
  if (isWriting) writeMeasurements(longest);
  return [
    {
      name: `the longest that one request of ${longest.size} entrances keeps the others waiting`,
      value: Math.max(...longest.values()),
      unit: "ms",
      limit: { most: MOST_MILLISECONDS },
    },
  ];
}

/** Measures again while it is more than it may be. */
async function shortestOf(tries: number, measure: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < tries && shortest > MOST_MILLISECONDS; attempt++)
    shortest = Math.min(shortest, await measure());
  return shortest;
}

/** How long /healthz was kept waiting at most while this was answered, in milliseconds. */
async function delayOf(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const watching = (async () => {
    do {
      const asked = performance.now();
      await (await fetch(`${server.origin}/healthz`)).text();
      longest = Math.max(longest, performance.now() - asked);
      if (!isOver) await sleep(2);
    } while (!isOver);
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watching;
  return longest;
}

/** Puts what was measured into docs/measurements.md, between the two marks. */
function writeMeasurements(longest: Map<string, number>): void {
  const file = join(import.meta.dirname, "../docs/measurements.md");
  const names = [...longest.keys()].map((entrance) => `\`${entrance}\``);
  const width = Math.max(...names.map((name) => name.length));
  const rows = [...longest.values()].map(
    (delay, at) => `| ${names[at]?.padEnd(width)} | ${String(Math.round(delay)).padStart(3)} |`,
  );
  const head = [`| ${"entrance".padEnd(width)} |  ms |`, `| ${"-".repeat(width)} | --: |`];
  const before = readFileSync(file, "utf8");
  const table = [...head, ...rows].join("\n");
  writeFileSync(file, before.replace(/(<!-- event loop -->\n)[\s\S]*?(\n<!-- -->)/, `$1\n${table}\n$2`));
}
