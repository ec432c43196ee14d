import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sandboxes } from "@ownwords/sandbox";
import type { Pool } from "pg";
import type { createApp, RunningApp } from "./app.server.ts";
import { ConfigError, readConfig } from "./config/config.server.ts";
import { checkDatabaseMode } from "./database-mode.server.ts";
import { connect, type DatabaseListeners, endPool } from "./db/client.server.ts";
import { openEmbeddedPostgres } from "./db/embedded.server.ts";
import { prepareSchema } from "./db/migrate.server.ts";
import { openNotifications } from "./db/notifications.server.ts";
import { createProcessRow } from "./db/process-row.server.ts";
import { watchReadiness } from "./db/readiness.server.ts";
import { createDispatcher, type Destinations } from "./http/dispatch.server.ts";
import { createRequestSafety } from "./http/request-safety.server.ts";
import { commonHeaders } from "./http/security-headers.server.ts";
import { openSockets, passedSocket } from "./http/sockets.server.ts";
import { openMetrics } from "./metrics.server.ts";
import { addSampleCodes } from "./promo/sample-codes.server.ts";
import { sandboxOptions } from "./sandbox.server.ts";
import { explainStartError } from "./start-errors.server.ts";
import { openTelemetry } from "./telemetry.server.ts";

export type CreateOptions = Parameters<typeof createApp>[0];

export interface Site extends Destinations {
  app(): Promise<Pick<RunningApp, "fetch" | "start" | "stopWork">>;
  stop(): Promise<void>;
}

const OWNS_ITS_TABLES =
  "DATABASE_OWNER_URL is not set: the site owns its tables, so that only a trigger keeps it from changing the audit log";

/** For requests in progress, after a signal. */
const DRAIN_MILLISECONDS = 10_000;
/** The hot reload of an open tab never ends by itself. */
const DRAIN_MILLISECONDS_DEV = 500;
/** Of the site's database timeout. */
const SANDBOX_SHARE = 0.5;
/** Under npm each Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const SIGNALS_THAT_END_AT_ONCE = process.env.npm_lifecycle_event ? 3 : 2;

const config = readConfigOrExit();
const watching = await openTelemetry(config, config.version.text);
const { log, requests, telemetry } = watching;
const safety = createRequestSafety(log, requests);
const sockets = openSockets(
  (error) => log.error({ error }, "the server's socket failed"),
  passedSocket(process.env),
  commonHeaders(config.publicOrigin.startsWith("https:")),
);

/** In the order of opening; called in reverse. */
const closers: (() => Promise<unknown>)[] = [watching.close];
let stopWork = async () => {};
const ending = new AbortController();
let isReady = false;
let signals = 0;
let isDev = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, endOnSignal);

/** @param openSite from the build (built-site.server.ts) or from the sources (development-site.server.ts) */
export async function serve(
  openSite: (server: Server, options: CreateOptions) => Promise<Site>,
  options?: { isDev: boolean },
): Promise<void> {
  isDev = options?.isDev ?? false;
  try {
    await start(openSite);
  } catch (error) {
    // A signal during the start closes what the start still needs.
    if (!ending.signal.aborted) {
      printStartError(error);
      await end(1);
    }
  }
}

async function start(openSite: Parameters<typeof serve>[0]): Promise<void> {
  // First, so that a taken port is reported before a database is created, and no client is refused meanwhile.
  await sockets.listen(config.port, config.hosts);
  const { publicOrigin, role } = config;
  const metrics = await openMetrics(config, watching, { version: config.version.text, role });
  closers.push(metrics.close);
  if (config.isSandboxPublic) {
    log.warn(
      "anyone who can reach this address may sign in as any user and read all mail: the sandboxes are open",
    );
  }
  const { ownerUrl, siteUrl } = config.database ?? (await startEmbeddedPostgres());
  const { isOwner } = await prepareSchema({ ownerUrl, siteUrl }, (line) => console.log(line));
  if (config.isProduction && isOwner) log.warn(OWNS_ITS_TABLES);
  const { db, pool } = openPool(siteUrl);
  await checkDatabaseMode(pool, config.payments);
  const readiness = watchReadiness(siteUrl, log);
  closers.push(readiness.close);
  const notifications = openNotifications(siteUrl);
  closers.push(notifications.close);

  // They create tables of their own, which the site's role may not.
  const sandboxes = config.isProduction ? null : await openSandboxes(openSandboxPool(ownerUrl));
  const row = createProcessRow(db, { id: randomUUID(), role, version: config.version.text }, (error) =>
    log.warn({ error }, "could not say that this process is there"),
  );
  closers.push(row.stop);
  const options = { config, db, log, notifications, requests, telemetry, sandbox: sandboxes };
  const site = await openSite(sockets.server, options);
  closers.push(site.stop);
  // From here on no exception ends the process (decision 0026).
  process.on("uncaughtException", safety.onUncaught);
  const canServe = () => isReady && readiness.isReady();
  sockets.answerWith(createDispatcher({ role, site, sandboxes, canServe, publicOrigin, safety }));
  metrics.watch({ pool, databaseUrl: siteUrl, isReady: canServe });
  closers.push(() => sockets.close(isDev ? DRAIN_MILLISECONDS_DEV : DRAIN_MILLISECONDS));

  // It sends webhooks to its own process, and a worker takes none.
  if (role !== "worker") sandboxes?.start();
  const app = await site.app();
  stopWork = app.stopWork;
  await app.start();
  if (ending.signal.aborted) return;
  await row.start();
  isReady = true;
  if (sandboxes?.stripeOrigin) console.log(`Stripe sandbox for the SDK on ${sandboxes.stripeOrigin}`);
  console.log(
    role === "worker" ? `ready to work on http://localhost:${config.port}` : `ready on ${publicOrigin}`,
  );
}

function openPool(
  url: string,
  timeoutSeconds = config.databaseTimeoutSeconds,
  listeners: DatabaseListeners = watching.listeners,
) {
  const connection = connect(
    url,
    config.databasePoolSize,
    (error) => log.warn({ error }, "lost a connection"),
    timeoutSeconds,
    listeners,
  );
  closers.push(() => endPool(connection.pool));
  return connection;
}

async function startEmbeddedPostgres(): Promise<{ ownerUrl: string; siteUrl: string }> {
  const opening = openEmbeddedPostgres(config.dataDir, console.log);
  // Before it is open, so that a signal during its start waits for it and then stops it.
  closers.push(async () => (await opening.catch(() => null))?.release());
  const { url: ownerUrl, siteUrl } = await opening;
  return { ownerUrl, siteUrl };
}

/** The site's own request waits for a sandbox, which must fail first. A call may move a clock by a year. */
function openSandboxPool(url: string): Pool {
  const timeoutSeconds = config.databaseTimeoutSeconds * SANDBOX_SHARE;
  return openPool(url, timeoutSeconds, { ...watching.listeners, patience: () => undefined }).pool;
}

/** Imported here, so that production never loads them. */
async function openSandboxes(pool: Pool): Promise<Sandboxes> {
  const { openSandboxes } = await import("@ownwords/sandbox");
  const sandboxes = await openSandboxes({
    ...sandboxOptions(config),
    pool,
    ending: ending.signal,
    log: (message) => log.debug(message),
  });
  if (config.payments.mode === "sandbox") await addSampleCodes(pool);
  closers.push(sandboxes.close);
  return sandboxes;
}

function endOnSignal(): void {
  signals++;
  if (!ending.signal.aborted) void end(0);
  else if (signals >= SIGNALS_THAT_END_AT_ONCE) process.exit(1);
}

/** First `/readyz` answers 503 while requests are still accepted, so that a load balancer can redirect them (decision 0056). */
async function end(code: number): Promise<void> {
  const wasReady = isReady;
  isReady = false;
  ending.abort();
  sockets.startDraining();
  // A worker receives no requests, so it does not drain.
  const worked = stopWork();
  if (config.role === "worker") await worked;
  else if (wasReady) await sleep(config.drainSeconds * 1000);
  for (const close of closers.reverse()) {
    await close().catch((error: unknown) => log.warn({ error }, "something could not be given back"));
  }
  process.exit(code);
}

function readConfigOrExit() {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printConfigError(error);
    process.exit(1);
  }
}

function printStartError(error: unknown): void {
  const explained = explainStartError(error, config);
  if (error instanceof ConfigError) printConfigError(error);
  else if (explained) console.error(`Cannot start: ${explained}`);
  else console.error("Cannot start:", error);
}

function printConfigError({ message }: ConfigError): void {
  console.error(`Cannot start. Mend these settings (see .env.example):\n${message}`);
}
