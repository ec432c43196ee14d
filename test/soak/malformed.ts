import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { rollDice } from "../dice.ts";
import { appPaths } from "../entrances.ts";
import { startServer, type TestServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";
import { malformedRequest } from "./malformed-requests.ts";

const AT_ONCE = 16;
/** Requests before the first measurement of memory, so that lazily loaded code does not count. */
const WARM_UP = 3_000;
/** Maximum ratio of memory after all requests to memory after the warm-up. */
const LARGEST_GROWTH = 1.5;
/** A request without an answer in this time counts as hung. */
const PATIENCE_MILLISECONDS = 35_000;

const SANDBOX_PATHS = [
  "/sandbox/mail",
  "/sandbox/mail.json",
  "/sandbox/stripe/v1/customers",
  "/sandbox/stripe/v1/checkout/sessions",
  "/sandbox/stripe/control",
  "/sandbox/stripe/pay/cs_1",
  "/sandbox/identity/google/authorize",
  "/sandbox/identity/google/token",
  "/sandbox/identity/google/choose",
  "/sandbox/identity/facebook/me",
  "/sandbox/identity/control",
];
const FILES = ["/favicon.ico", "/icon.svg", "/healthz", "/readyz"];

interface Outcome {
  request: string;
  answer: string;
}

/**
 * Fuzzes every route and sandbox with malformed requests from a grammar of our own: no response may be a 5xx other than a 503 with
 * Retry-After, none may be missing, the process survives, and its memory does not grow. `SEED` repeats a run.
 */
export async function malformed(size: number, seed: number): Promise<string[]> {
  const server = await startServer({ LOG_LEVEL: "silent" });
  return attack(server, size, seed).finally(server.stop);
}

async function attack(server: TestServer, size: number, seed: number): Promise<string[]> {
  const dice = rollDice(seed);
  const [user] = await createSignedInUsers(server.pool, 1);
  const paths = [...appPaths(), ...SANDBOX_PATHS, ...FILES];
  const wrong: Outcome[] = [];
  const statuses = new Map<string, number>();

  const send = async () => {
    const request = malformedRequest(dice, { paths, cookie: user?.cookie ?? "", origin: server.origin });
    const answer = await exchange(server, request);
    const status =
      /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? (answer === "" ? "closed" : answer.slice(0, 20));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (!isAcceptable(answer)) wrong.push({ request: request.toString("latin1"), answer });
  };
  await times(WARM_UP, send);
  const before = await settledMegabytes(server);
  await times(size - WARM_UP, send);
  const after = await settledMegabytes(server);

  const isAlive = await fetch(`${server.origin}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  console.log(`${size} requests to ${paths.length} paths`);
  console.log(
    [...statuses]
      .sort()
      .map(([status, count]) => `${count} × ${status}`)
      .join(", "),
  );
  console.log(`alive: ${isAlive}; memory ${before} MB after ${WARM_UP}, ${after} MB after all`);
  const differences = wrong.map(
    ({ request, answer }) =>
      `${JSON.stringify(request.slice(0, 400))} → ${JSON.stringify(answer.slice(0, 300))}`,
  );
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
  return answers.every(
    (head) =>
      !/^HTTP\/1\.1 5/.test(head) ||
      /^HTTP\/1\.1 503.*retry-after/is.test(head) ||
      /^HTTP\/1\.1 501.*content-type: application\/json/is.test(head),
  );
}

const HUNG = "hung";

/** Sends a request and returns all data until the server closes the connection or pauses after a response. */
function exchange(server: TestServer, request: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(server.port), "127.0.0.1");
    let answer = "";
    let quiet: NodeJS.Timeout | undefined;
    const hung = setTimeout(() => end(answer || HUNG), PATIENCE_MILLISECONDS);
    const end = (result: string) => {
      clearTimeout(hung);
      clearTimeout(quiet);
      socket.destroy();
      resolve(result);
    };
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      clearTimeout(quiet);
      quiet = setTimeout(() => end(answer), 50);
    });
    socket.on("error", () => end(answer));
    socket.on("close", () => end(answer));
    socket.write(request);
    // A truncated request ends with its connection.
    setTimeout(() => socket.end(), 1_000).unref();
  });
}

async function times(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await work();
    }),
  );
}

/** Resident memory of the process after a pause, in megabytes; `NaN` when it has exited. */
async function settledMegabytes({ child }: TestServer): Promise<number> {
  await sleep(5_000);
  if (child.exitCode !== null) return Number.NaN;
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}
