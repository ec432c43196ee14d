import type { ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectStripe } from "@ownwords/sandbox/testing";
import { Pool } from "pg";
import Stripe from "stripe";
import { freePort } from "../app/db/embedded.server.ts";
import { createMigratedDatabase } from "./database.ts";
import { asClient, countUndone } from "./http.ts";
import { AUTH_SECRET, endProcess, endServers, type Program, spawnServer } from "./server.ts";

/** The product in several processes on one database, with the payments sandbox. */
export type Site = Awaited<ReturnType<typeof openSite>>;

type Settings = Record<string, string>;

/**
 * @param processes how many, or the settings of each
 * @param env settings of all
 * @param given a database, otherwise a fresh one with the schema; and what is started at first, otherwise this build
 */
export async function openSite(
  processes: number | Settings[],
  env: Settings = {},
  given: { database?: Awaited<ReturnType<typeof createMigratedDatabase>>; program?: Program } = {},
) {
  const database = given.database ?? (await createMigratedDatabase());
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), "site-data-"));
  const each = typeof processes === "number" ? Array<Settings>(processes).fill({}) : processes;
  const ports: string[] = [];
  for (const _ of each) ports.push(String(await freePort()));
  // The first one answers at the public origin.
  const origins = ports.map((port) => `http://127.0.0.1:${port}`);
  const [origin = ""] = origins;
  const [port = ""] = ports;
  const stripeOrigin = `http://127.0.0.1:${await freePort()}`;
  /** The settings of its processes, also for commands. */
  const environment = {
    AUTH_SECRET,
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PUBLIC_ORIGIN: origin,
    PORT: port,
  };
  const children: ChildProcess[] = [];
  const start = async (index: number, program?: Program): Promise<void> => {
    const settings = {
      ...environment,
      LOG_LEVEL: "error",
      SANDBOX_STRIPE_PORT: index === 0 ? new URL(stripeOrigin).port : "0",
      ...env,
      ...each[index],
      PORT: ports[index] ?? "",
    };
    children[index] = (await spawnServer(settings, program)).child;
  };
  const end = (index: number, signal?: NodeJS.Signals) => endProcess(processAt(index), signal);
  const processAt = (index: number) => {
    const child = children[index];
    if (!child) throw new Error(`there is no process ${index}`);
    return child;
  };
  // In sequence: the first creates what the sandboxes need.
  for (const index of each.keys()) await start(index, given.program);
  const pool = new Pool({ connectionString: database.url, max: 10 });
  pool.on("error", () => {});
  const close = () => endServers(children, { pool, database, dataDir });
  return {
    origin,
    origins,
    port,
    pool,
    environment,
    stripe: connectStripe(stripeOrigin),
    pidOf: (index: number) => processAt(index).pid ?? 0,
    start,
    end,
    /** `kill -9`, and the same process again on the same port. */
    async killAndRestart(index: number): Promise<void> {
      await end(index, "SIGKILL");
      await start(index);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
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
export async function settled(site: Pick<Site, "pool">, seconds: number): Promise<number> {
  const since = Date.now();
  for (;;) {
    const left = await countUndone(site);
    if (left === 0) return (Date.now() - since) / 1000;
    if (Date.now() - since > seconds * 1000) throw new Error(`${left} are left after ${seconds} s`);
    await sleep(100);
  }
}
