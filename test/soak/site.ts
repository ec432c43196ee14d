import type { ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectStripe } from "@ownwords/sandbox/testing";
import { Pool } from "pg";
import Stripe from "stripe";
import { freePort } from "../../app/db/embedded.server.ts";
import { createMigratedDatabase } from "../database.ts";
import type { Dice } from "../dice.ts";
import { asClient } from "../http.ts";
import { AUTH_SECRET, endProcess, endServers, spawnServer } from "../server.ts";

/** The product in several processes on one database, with the payments sandbox. */
export type Site = Awaited<ReturnType<typeof openSite>>;

/** @param given a database with the schema; a fresh one otherwise */
export async function openSite(
  processes: number,
  env: Record<string, string> = {},
  given?: Awaited<ReturnType<typeof createMigratedDatabase>>,
) {
  const database = given ?? (await createMigratedDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), "soak-data-"));
  const ports: string[] = [];
  for (let index = 0; index < processes; index++) ports.push(String(await freePort()));
  // The first one answers at the public origin.
  const origins = ports.map((port) => `http://127.0.0.1:${port}`);
  const [origin = ""] = origins;
  const stripePort = String(await freePort());
  /** The settings of its processes, also for commands. */
  const environment = { AUTH_SECRET, DATABASE_URL: database.url, DATA_DIR: dataDir, PUBLIC_ORIGIN: origin };
  const spawn = (index: number) =>
    spawnServer({
      ...environment,
      LOG_LEVEL: "error",
      SANDBOX_STRIPE_PORT: index === 0 ? stripePort : "0",
      ...env,
      PORT: ports[index] ?? "",
    });
  const children: ChildProcess[] = [];
  // In sequence: the first creates what the sandboxes need.
  for (const index of ports.keys()) children.push((await spawn(index)).child);
  const pool = new Pool({ connectionString: database.url, max: 10 });
  pool.on("error", () => {});
  const processAt = (index: number) => {
    const child = children[index];
    if (!child) throw new Error(`there is no process ${index}`);
    return child;
  };
  return {
    origin,
    origins,
    pool,
    environment,
    stripe: connectStripe(`http://127.0.0.1:${stripePort}`),
    pidOf: (index: number) => processAt(index).pid ?? 0,
    /** `kill -9`, and the same process again on the same port. */
    async killAndRestart(index: number): Promise<void> {
      await endProcess(processAt(index), "SIGKILL");
      children[index] = (await spawn(index)).child;
    },
    close: () => endServers(children, { pool, database, dataDir }),
  };
}

/** Opens a site for a run and closes it afterwards. */
export async function withSite<Result>(
  processes: number,
  env: Record<string, string>,
  run: (site: Site) => Promise<Result>,
  database?: Awaited<ReturnType<typeof createMigratedDatabase>>,
): Promise<Result> {
  const site = await openSite(processes, env, database);
  return run(site)
    .catch((error: unknown) => {
      // Closing may fail as well, and only its error is thrown then.
      console.log(error);
      throw error;
    })
    .finally(site.close);
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

/** Delivers an event to one of the processes, signed with this secret, as Stripe does. */
export function deliver(
  at: string,
  event: object,
  secret = "whsec_sandbox_only_never_in_production",
): Promise<Response> {
  const payload = JSON.stringify(event);
  return fetch(`${at}/webhooks/stripe`, {
    method: "POST",
    body: payload,
    headers: { "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret }) },
  });
}

/** Waits until all events are delivered and all jobs done. @returns the seconds that took, at most `seconds` */
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

/** Works through the items, `atOnce` at a time. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const workThrough = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, workThrough));
}

/** Repeats work in `times` parallel loops. @returns a function that ends them */
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
