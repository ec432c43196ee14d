import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectStripe } from "@ownwords/sandbox/testing";
import { Pool } from "pg";
import type Stripe from "stripe";
import { freePort } from "../../app/db/embedded.server.ts";
import { createMigratedDatabase } from "../database.ts";
import type { Dice } from "../dice.ts";
import { asClient } from "../http.ts";
import { AUTH_SECRET, endProcess, endServers, spawnServer } from "../server.ts";

/** The product in several processes on one database, with the payments sandbox. */
export interface Site {
  /** The site's public origin: where the first process answers. */
  origin: string;
  /** The URL of each process. */
  origins: string[];
  pool: Pool;
  stripe: Stripe;
  /** The settings of its processes, for commands. */
  environment: Record<string, string>;
  /** The process at this index, as the system numbers it. */
  pidOf(index: number): number;
  /** `kill -9`, and the same process again on the same port. */
  killAndRestart(index: number): Promise<void>;
  close(): Promise<void>;
}

/** @param given a database with the schema; a fresh one otherwise */
export async function openSite(
  processes: number,
  env: Record<string, string> = {},
  given?: Awaited<ReturnType<typeof createMigratedDatabase>>,
): Promise<Site> {
  const database = given ?? (await createMigratedDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), "soak-data-"));
  const ports: string[] = [];
  for (let index = 0; index < processes; index++) ports.push(String(await freePort()));
  const publicOrigin = `http://127.0.0.1:${ports[0]}`;
  const stripePort = String(await freePort());
  const environment = {
    AUTH_SECRET,
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PUBLIC_ORIGIN: publicOrigin,
  };
  const spawn = (port: string | undefined) =>
    spawnServer({
      ...environment,
      LOG_LEVEL: "error",
      SANDBOX_STRIPE_PORT: port === ports[0] ? stripePort : "0",
      ...env,
      PORT: port ?? "",
    });
  const servers: Awaited<ReturnType<typeof spawn>>[] = [];
  // In sequence: the first creates what the sandboxes need.
  for (const port of ports) servers.push(await spawn(port));
  const pool = new Pool({ connectionString: database.url, max: 10 });
  pool.on("error", () => {});
  return {
    origin: publicOrigin,
    // Each says it is ready on the public origin, which is where the first one answers.
    origins: ports.map((port) => `http://127.0.0.1:${port}`),
    pool,
    environment,
    stripe: connectStripe(`http://127.0.0.1:${stripePort}`),
    pidOf(index) {
      const pid = servers[index]?.child.pid;
      if (pid === undefined) throw new Error(`there is no process ${index}`);
      return pid;
    },
    async killAndRestart(index) {
      const server = servers[index];
      if (!server) throw new Error(`there is no process ${index}`);
      await endProcess(server.child, "SIGKILL");
      servers[index] = await spawn(ports[index]);
    },
    close: () =>
      endServers(
        servers.map(({ child }) => child),
        { pool, database, dataDir },
      ),
  };
}

/** Opens a site for a run, and closes it afterwards, however that ends. */
export async function withSite<Result>(
  processes: number,
  env: Record<string, string>,
  run: (site: Site) => Promise<Result>,
): Promise<Result> {
  const site = await openSite(processes, env);
  return run(site).finally(site.close);
}

/** Posts a form at one of the processes, from a new address. Redirects are not followed. */
export function postAt(
  at: string,
  { origin }: Pick<Site, "origin">,
  path: string,
  fields: Record<string, string>,
  cookie?: string,
): Promise<Response> {
  return fetch(at + path, {
    method: "POST",
    redirect: "manual",
    headers: { origin, ...asClient(), ...(cookie && { cookie }) },
    body: new URLSearchParams(fields),
    signal: AbortSignal.timeout(60_000),
  });
}

/** Waits until no event is on its way and no job is left. @param seconds how long that may take */
export async function settled({ pool }: Pick<Site, "pool">, seconds: number): Promise<number> {
  const since = Date.now();
  for (;;) {
    const { rows } = await pool.query(
      `SELECT (SELECT count(*) FROM sandbox_stripe.deliveries)::int
         + (SELECT count(*) FROM outbox WHERE done_at IS NULL)::int AS left`,
    );
    if (rows[0].left === 0) return (Date.now() - since) / 1000;
    if (Date.now() - since > seconds * 1000) throw new Error(`${rows[0].left} are left after ${seconds} s`);
    await sleep(100);
  }
}

/** In a random order. */
export function shuffled<Item>(items: readonly Item[], dice: Dice): Item[] {
  return items
    .map((item) => ({ item, at: dice() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Works through the items, so many at a time. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (;;) {
        const index = next++;
        const item = items[index];
        if (item === undefined) return;
        await work(item, index);
      }
    }),
  );
}

/** Repeats something, several at a time. @returns what ends it */
export function goOn(times: number, work: () => Promise<unknown>): () => Promise<unknown> {
  let isOver = false;
  const all = Array.from({ length: times }, async () => {
    while (!isOver) await work().catch(() => sleep(100));
  });
  return () => {
    isOver = true;
    return Promise.all(all);
  };
}
