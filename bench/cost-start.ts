import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../app/db/embedded.server.ts";
import startCluster from "../test/cluster.ts";
import { createMigratedDatabase, databaseSettings } from "../test/database.ts";
import { medianOf } from "../test/median.ts";
import { AUTH_SECRET } from "../test/server.ts";
import { withFolder } from "./contender.ts";
import { memoryOf, processorSecondsOf } from "./cost-process.ts";
import type { Figure } from "./figures.ts";

const ROOT = join(import.meta.dirname, "..");
const ENTRY = "build/server/index.js";
const ROUNDS = 5;
/** By then the jobs that a start queues are done. */
const SETTLED_MILLISECONDS = 10_000;
const MOST_MEGABYTES = 160;
const MOST_SECONDS = 2;

/** Memory after a start, with the settings of a container or systemd. */
export async function measureStart(): Promise<Figure[]> {
  const endCluster = await startCluster();
  try {
    const production = await measureMemory(async () => {
      const { url } = await createMigratedDatabase();
      return {
        NODE_ENV: "production",
        PUBLIC_ORIGIN: "http://localhost:3000",
        AUTH_SECRET,
        ...databaseSettings(url),
      };
    });
    const sandbox = await measureMemory(async () => databaseSettings((await createMigratedDatabase()).url));
    return [
      { name: "memory after a start, production", value: production },
      { name: "memory after a start, with all sandboxes", value: sandbox },
    ].map((figure) => ({ ...figure, unit: "MB", limit: { most: MOST_MEGABYTES } }));
  } finally {
    await endCluster();
  }
}

async function measureMemory(settings: () => Promise<Record<string, string>>): Promise<number> {
  const rounds: { megabytes: number; seconds: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const child = await startReady(process.execPath, [ENTRY], await settings());
    const seconds = processorSecondsOf(child.pid ?? 0);
    await sleep(SETTLED_MILLISECONDS);
    rounds.push({ megabytes: memoryOf(child.pid ?? 0), seconds });
    await end(child);
  }
  console.log(`processor time of the start: ${medianOf(rounds.map(({ seconds }) => seconds)).toFixed(2)} s`);
  return medianOf(rounds.map(({ megabytes }) => megabytes));
}

/** From the command to "ready on", with an embedded database and sandboxes that an earlier start created. */
export function measureNpmStart(): Promise<Figure> {
  return withFolder(async (folder) => {
    const seconds: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const begun = performance.now();
      const child = await startReady("npm", ["start"], {
        ...settingsOfBuild,
        DATA_DIR: join(folder, "data"),
      });
      if (round > 0) seconds.push((performance.now() - begun) / 1000);
      await end(child);
    }
    return { name: "warm npm start", value: medianOf(seconds), unit: "s", limit: { most: MOST_SECONDS } };
  });
}

/** Builds first, so that npm has nothing to do. */
const settingsOfBuild = { PRODUCT_NAME: "", HEADLINE: "" };

/** @returns the process once it is ready. @throws with its output when it exits instead */
async function startReady(
  command: string,
  args: string[],
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const child = spawn(command, args, {
    cwd: ROOT,
    // In its own group, to be signaled as by Ctrl-C.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: "127.0.0.1",
      LOG_LEVEL: "warn",
      PORT: String(await freePort()),
      SANDBOX_STRIPE_PORT: "0",
      DRAIN_SECONDS: "0",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      printed += chunk;
      if (/^ready on /m.test(printed)) resolve();
    });
  }
  child.once("exit", (code) => reject(new Error(`${command} ended with ${code}:\n${printed}`)));
  await promise;
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "close");
  process.kill(-(child.pid ?? 0), "SIGINT");
  await ended;
}
