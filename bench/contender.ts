import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../app/db/embedded.server.ts";

export interface Contender {
  url: string;
  /** What is sent besides, such as a session's cookie. */
  headers?: Record<string, string>;
  end(): Promise<void>;
}

const LONGEST_START_MILLISECONDS = 60_000;
const CONNECTIONS = 64;

/** Runs the work with a temporary folder, deleted afterwards. */
export async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  // As root, the embedded database runs as another user, which needs access.
  chmodSync(folder, 0o755);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the production build with an embedded database in the folder. */
export function startSite(folder: string): Promise<Contender> {
  return startContender(
    (port) =>
      spawn(process.execPath, [join(import.meta.dirname, "../build/server/index.js")], {
        env: {
          PATH: process.env.PATH,
          PORT: String(port),
          PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
          DATA_DIR: join(folder, "data"),
          LOG_LEVEL: "warn",
        },
        stdio: "inherit",
      }),
    "readyz",
  );
}

/** Starts a bare node:http server that answers everything with this body, and these headers. */
export function startBare(body: string, headers: string): Promise<Contender> {
  return startContender((port) =>
    spawn(process.execPath, [join(import.meta.dirname, "bare-server.ts"), String(port), body, headers], {
      stdio: "inherit",
    }),
  );
}

/**
 * Starts a server on a free port and waits until it answers.
 *
 * @param readyPath the path, without leading slash, that answers with a 2xx when the server is ready
 * @throws when it exits or does not answer within a minute
 */
export async function startContender(
  start: (port: number) => ChildProcess,
  readyPath = "",
): Promise<Contender> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const child = start(port);
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  const deadline = Date.now() + LONGEST_START_MILLISECONDS;
  while (!(await answers(url + readyPath))) {
    if (failure) throw failure;
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    if (Date.now() > deadline) throw new Error(`${child.spawnfile} does not answer`);
    await sleep(100);
  }
  return {
    url,
    async end() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

/** Measures all in turn, and back again, so many times. A round before them warms up. @returns what was measured in each round */
export async function inTurn<Item, Measured>(
  rounds: number,
  items: readonly Item[],
  measure: (item: Item) => Promise<Measured>,
): Promise<Map<Item, Measured[]>> {
  const measured = new Map<Item, Measured[]>(items.map((item) => [item, []]));
  for (let round = 0; round <= rounds; round++)
    for (const item of round % 2 === 0 ? items : items.toReversed()) {
      const one = await measure(item);
      if (round > 0) measured.get(item)?.push(one);
    }
  return measured;
}

/**
 * Measures the throughput of a server with wrk, from one thread over keep-alive connections. Needs wrk to be installed.
 *
 * @throws when any response is not a 2xx
 */
export async function requestsPerSecond({ url, headers = {} }: Contender, seconds: number): Promise<number> {
  const { stdout } = await promisify(execFile)("wrk", [
    "-t1",
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    // On a busy machine a late answer is slow, not missing.
    "--timeout=10s",
    "-H",
    "Accept-Encoding: gzip, deflate, br, zstd",
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    url,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
