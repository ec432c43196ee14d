import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "../../bench/cost-process.ts";
import { rollDice } from "../dice.ts";
import { appPaths, sandboxEntrances } from "../entrances.ts";
import { eachOf, goOn } from "../loops.ts";
import { malformedRequest } from "../malformed-requests.ts";
import { startServer, type TestServer } from "../server.ts";
import { createSignedInUser, get } from "../users.ts";
import { describeInput, openWorstRequests } from "../worst-requests.ts";

const AT_ONCE = 16;
/** Requests before the first measurement of memory, so that lazily loaded code does not count. */
const WARM_UP = 3_000;
/** Maximum ratio of memory after all requests to memory after the warm-up. */
const LARGEST_GROWTH = 1.5;
/** A request without an answer in this time counts as hung. */
const PATIENCE_MILLISECONDS = 35_000;

/** The longest that one request may keep all others waiting, in milliseconds. */
const LONGEST_MILLISECONDS = 100;
/** A busy machine also delays requests, but rarely the same one three times. */
const TRIES = 3;

const FILES = ["/favicon.ico", "/icon.svg", "/healthz", "/readyz"];

/**
 * Fuzzes every route and sandbox with malformed requests. No response may be missing, or a 5xx other than a 503 with Retry-After;
 * the process survives, and its memory does not grow. Then sends every entrance its worst inputs: none may hold up the others.
 * `SEED` repeats a run.
 */
export async function malformed(size: number, seed: number): Promise<string[]> {
  await using server = await startServer({ LOG_LEVEL: "silent" });
  return [...(await attack(server, size, seed)), ...(await holdUp(server))];
}

async function attack(server: TestServer, size: number, seed: number): Promise<string[]> {
  const dice = rollDice(seed);
  const { cookie } = await createSignedInUser(server.pool);
  const paths = [...appPaths(), ...sandboxEntrances().map(({ path }) => path), ...FILES];
  const differences: string[] = [];
  const statuses = new Map<string, number>();

  const send = async () => {
    const request = malformedRequest(dice, { paths, cookie, origin: server.origin });
    const answer = await exchange(server, request);
    const status =
      /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? (answer === "" ? "closed" : answer.slice(0, 20));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (!isAcceptable(answer))
      differences.push(
        `${JSON.stringify(request.toString("latin1").slice(0, 400))} → ${JSON.stringify(answer.slice(0, 300))}`,
      );
  };
  await eachOf(Array(WARM_UP), AT_ONCE, send);
  const before = await settledMegabytes(server);
  await eachOf(Array(Math.max(0, size - WARM_UP)), AT_ONCE, send);
  const after = await settledMegabytes(server);

  const isAlive = await get(server, "/healthz")
    .then(({ ok }) => ok)
    .catch(() => false);
  const counts = [...statuses].sort().map(([status, count]) => `${count} × ${status}`);
  console.log(`${size} requests to ${paths.length} paths\n${counts.join(", ")}`);
  console.log(`alive: ${isAlive}; memory ${before} MB after ${WARM_UP}, ${after} MB after all`);
  if (!isAlive) differences.push("the process has ended");
  else if (after / before > LARGEST_GROWTH) differences.push(`memory grew from ${before} to ${after} MB`);
  return differences;
}

/**
 * Whether all responses are below 500, a 503 with Retry-After, or the callable protocol's 501 for a function that does not exist
 * (docs/integrate.md).
 */
function isAcceptable(answer: string): boolean {
  if (answer === HUNG) return false;
  const answers = answer.match(/^HTTP\/1\.1 \d{3}.*(?:\r\n.+)*/gm) ?? [];
  return answers.every((head) =>
    /^HTTP\/1\.1 ([1-4]|503.*retry-after|501.*content-type: application\/json)/is.test(head),
  );
}

const HUNG = "hung";

/** Sends a request and returns all data until the server closes the connection or pauses after a response. */
function exchange({ port }: TestServer, request: Buffer): Promise<string> {
  const socket = connect(Number(port), "127.0.0.1").setNoDelay(true).setEncoding("latin1");
  let answer = "";
  socket.setTimeout(PATIENCE_MILLISECONDS);
  socket.on("data", (chunk) => {
    answer += chunk;
    socket.setTimeout(50);
  });
  socket.on("timeout", () => {
    answer ||= HUNG;
    socket.destroy();
  });
  socket.on("error", () => {});
  socket.write(request);
  // A truncated request ends with its connection.
  setTimeout(() => socket.end(), 1_000).unref();
  return new Promise((resolve) => socket.on("close", () => resolve(answer)));
}

/** Resident memory of the process after a pause, in megabytes; `NaN` when it has exited. */
async function settledMegabytes({ child }: TestServer): Promise<number> {
  await sleep(5_000);
  if (child.exitCode !== null) return Number.NaN;
  return Math.round(memoryOf(child.pid ?? 0));
}

/** Measures how long the worst inputs of every entrance keep /healthz waiting. */
async function holdUp(server: TestServer): Promise<string[]> {
  const { requests, send } = await openWorstRequests(server);
  const differences: string[] = [];
  let longest = 0;
  for (const input of requests.flatMap(({ inputs }) => inputs)) {
    let delay = Number.POSITIVE_INFINITY;
    for (let tried = 0; tried < TRIES && delay > LONGEST_MILLISECONDS; tried++)
      delay = Math.min(delay, await delayOf(server, send(input)));
    longest = Math.max(longest, delay);
    if (delay > LONGEST_MILLISECONDS) differences.push(`${Math.round(delay)} ms for ${describeInput(input)}`);
  }
  console.log(
    `${requests.length} entrances, the worst input held up the others for ${Math.round(longest)} ms`,
  );
  return differences;
}

/** The longest that /healthz was kept waiting until this was done, in milliseconds. */
async function delayOf(server: TestServer, work: Promise<unknown>): Promise<number> {
  let longest = 0;
  const end = goOn(1, async () => {
    const asked = performance.now();
    await (await get(server, "/healthz")).text();
    longest = Math.max(longest, performance.now() - asked);
    await sleep(2);
  });
  // Some are answered with more headers than fetch takes.
  await work.catch(() => {});
  await end();
  return longest;
}
