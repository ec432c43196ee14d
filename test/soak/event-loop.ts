import { setTimeout as sleep } from "node:timers/promises";
import { startServer, type TestServer } from "../server.ts";
import { describeInput, openWorstRequests } from "../worst-requests.ts";

/** The longest a request may keep the others waiting, in milliseconds. */
const MOST_MILLISECONDS = 100;

/**
 * Measures how long the worst requests of every entrance block all others.
 *
 * @param tries of each: a busy machine delays requests too, but hardly three times the same one
 */
export async function eventLoop(tries: number): Promise<string[]> {
  const server = await startServer({ LOG_LEVEL: "silent" });
  try {
    const { requests, send } = await openWorstRequests(server);
    const differences: string[] = [];
    let longest = 0;
    for (const { inputs } of requests)
      for (const input of inputs) {
        const delay = await shortestOf(tries, () => delayOf(server, () => send(input)));
        longest = Math.max(longest, delay);
        if (delay > MOST_MILLISECONDS)
          differences.push(`${Math.round(delay)} ms for ${describeInput(input)}`);
      }
    console.log(`${requests.length} entrances, the longest wait ${Math.round(longest)} ms`);
    return differences;
  } finally {
    await server.stop();
  }
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
