import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnServer } from "../test/server.ts";
import { withFolder } from "./contender.ts";
import { malformedRequest, randomFrom } from "./malformed-request.ts";

const REQUESTS = 20_000;
const AT_ONCE = 24;
/** How long one may take. What is not a whole request is waited for until then, and no longer. In milliseconds. */
const PATIENCE_MILLISECONDS = 1_500;
const PAUSE_MILLISECONDS = 100;
/** What the site means to say: a method it does not know, and a service that is away. */
const DESIGNED = new Set([501, 503]);
/** How much larger the process may be after everything than it was after the first tenth. */
const MOST_GROWTH = 1.5;

/**
 * Sends malformed requests of a grammar of our own to every route and sandbox, by raw sockets: odd paths, ranges,
 * headers, methods, encodings, lengths and bodies. `SEED` repeats a run.
 *
 * @returns whether no answer was a 5xx that is not meant, the process is alive, and its memory came back
 */
export function run(): Promise<boolean> {
  return withFolder(attack);
}

async function attack(folder: string): Promise<boolean> {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const { child, port, origin } = await spawnServer({ DATA_DIR: `${folder}/data`, LOG_LEVEL: "error" });
  child.stdout?.pipe(process.stdout);
  const cookie = await signUp(origin);
  const counts = new Map<string, number>();
  const faults = new Set<string>();
  const megabytes: number[] = [];
  let sent = 0;
  async function sendOneAfterAnother(): Promise<void> {
    while (sent < REQUESTS && child.exitCode === null) {
      if (sent++ % (REQUESTS / 10) === 0) megabytes.push(megabytesOf(child.pid));
      const request = malformedRequest(random, origin, cookie);
      for (const status of await send(Number(port), request)) {
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (Number(status) >= 500 && !DESIGNED.has(Number(status)))
          faults.add(`${status}: ${JSON.stringify(request.slice(0, 300))}`);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOneAfterAnother));
  const isAlive = child.exitCode === null && (await fetch(`${origin}/healthz`)).ok;
  await sleep(10_000);
  megabytes.push(megabytesOf(child.pid));
  console.log(`seed ${seed}; answers:`, Object.fromEntries([...counts].sort()));
  console.log(
    `alive: ${isAlive}; resident megabytes, after each tenth and at the end: ${megabytes.join(" ")}`,
  );
  for (const fault of faults) console.log(fault);
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  const [, early = 0] = megabytes;
  return isAlive && faults.size === 0 && (megabytes.at(-1) ?? 0) < early * MOST_GROWTH;
}

/** @returns the status lines that came back, or why there are none */
function send(port: number, request: string): Promise<string[]> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    const over = (why: string) => {
      const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status = ""]) => status);
      resolve(statuses.length > 0 ? statuses : [why]);
    };
    socket.setTimeout(PATIENCE_MILLISECONDS, () => socket.destroy());
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      // What keeps the connection open has said what it has to.
      socket.setTimeout(PAUSE_MILLISECONDS);
    });
    socket.on("error", () => over("cut"));
    socket.on("close", () => over("closed"));
    socket.write(Buffer.from(request, "latin1"));
  });
}

async function signUp(origin: string): Promise<string> {
  const body = new URLSearchParams({
    name: "Ada",
    email: "ada@example.com",
    password: "lantern pickle ocean 12",
  });
  const headers = { origin };
  const answer = await fetch(`${origin}/register`, { method: "POST", redirect: "manual", headers, body });
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
}

/** Resident memory; 0 where there is no /proc. */
function megabytesOf(pid: number | undefined): number {
  try {
    return Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024,
    );
  } catch {
    return 0;
  }
}
