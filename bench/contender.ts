import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../app/db/embedded.server.ts";

export interface Contender {
  url: string;
  end(): Promise<void>;
}

const LONGEST_START_MILLISECONDS = 60_000;
const CONNECTIONS = 64;

/** Starts a server on a free port and waits until it answers. @throws when it ends instead, or never answers */
export async function startContender(start: (port: number) => ChildProcess): Promise<Contender> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const child = start(port);
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  const deadline = Date.now() + LONGEST_START_MILLISECONDS;
  while (!(await answers(url))) {
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

/** Loads a server from one thread over kept connections. Needs the program wrk. @throws when any answer is not a 2xx */
export async function requestsPerSecond(url: string, seconds: number): Promise<number> {
  const { stdout } = await promisify(execFile)("wrk", [
    "-t1",
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    "-H",
    "Accept-Encoding: gzip, deflate, br, zstd",
    url,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
