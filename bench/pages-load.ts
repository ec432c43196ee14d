import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import startCluster from "../test/cluster.ts";
import { createMigratedDatabase } from "../test/database.ts";
import { medianOf } from "../test/median.ts";
import { spawnServer } from "../test/server.ts";
import { requestsPerSecond } from "./contender.ts";
import { processorSecondsOf } from "./cost-process.ts";
import type { Figure } from "./figures.ts";

const ROUNDS = 5;
const ROUND_SECONDS = 2;
const CONNECTIONS = 64;
/** Between two bundles of requests, in milliseconds. */
const TICK = 1;

/**
 * Two processes beside one, and how long an answer takes at half of the most a process can do.
 *
 * The machine has no processor left for a second process beside the first and what asks them. So what is compared is the processor time
 * that a request costs: twice that of one process for as many requests means that the second adds nothing.
 */
export async function measureLoad(): Promise<Figure[]> {
  const endCluster = await startCluster();
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
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await costOfRequest([first]));
      together.push(await costOfRequest(servers));
      const most = await requestsPerSecond({ url: `${first.origin}/` }, ROUND_SECONDS);
      late.push(await percentile99(first.origin, most / 2));
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
    ];
  } finally {
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

/**
 * Asks so many times a second, whether answers come or not, and counts from the moment a request was due: a server that stops for
 * a moment is late for all that were due meanwhile (coordinated omission).
 *
 * @returns in milliseconds
 */
async function percentile99(origin: string, rate: number): Promise<number> {
  const { hostname, port, host } = new URL(origin);
  const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: br\r\n\r\n`;
  const length = await lengthOfAnswer(hostname, Number(port), request);
  const late: number[] = [];
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openConnection(hostname, Number(port), length, late)),
  );
  const begun = performance.now();
  let asked = 0;
  while (performance.now() - begun < ROUND_SECONDS * 1000) {
    const due = ((performance.now() - begun) * rate) / 1000;
    for (; asked < due; asked++) {
      connections[asked % CONNECTIONS]?.ask(request, begun + (asked * 1000) / rate);
    }
    await sleep(TICK);
  }
  // What has not been answered by then is late by as much.
  await sleep(500);
  for (const { end } of connections) end();
  if (late.length < 0.5 * asked) throw new Error(`of ${asked} requests, ${late.length} were answered`);
  return late.sort((a, b) => a - b)[Math.ceil(late.length * 0.99) - 1] ?? Number.NaN;
}

async function openConnection(host: string, port: number, length: number, late: number[]) {
  const socket = await opened(host, port);
  const due: number[] = [];
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    for (; bytes >= length; bytes -= length) late.push(performance.now() - (due.shift() ?? Number.NaN));
  });
  return {
    ask(request: string, at: number) {
      due.push(at);
      socket.write(request);
    },
    end() {
      for (const at of due) late.push(performance.now() - at);
      socket.destroy();
    },
  };
}

function opened(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket)).on("error", reject);
  });
}

/** In bytes, headers included: the same each time, since nothing in it but the second changes. */
async function lengthOfAnswer(host: string, port: number, request: string): Promise<number> {
  const socket = await opened(host, port);
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
  });
  socket.write(request);
  await sleep(200);
  const once = bytes;
  socket.write(request);
  await sleep(200);
  socket.destroy();
  if (bytes !== 2 * once) throw new Error(`two answers have ${once} and ${bytes - once} bytes`);
  return once;
}
