import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRequestListener } from "@remix-run/node-fetch-server";
import type { Pool } from "pg";
import type { RunningApp } from "./app/app.server.ts";
import { ConfigError, readConfig } from "./app/config/config.server.ts";
import { checkDatabaseMode } from "./app/database-mode.server.ts";
import { connect, endPool } from "./app/db/client.server.ts";
import { openEmbeddedPostgres } from "./app/db/embedded.server.ts";
import { applyMigrations } from "./app/db/migrate.server.ts";
import { watchReadiness } from "./app/db/readiness.server.ts";
import { limitBody } from "./app/http/body-limit.server.ts";
import { createRequestSafety } from "./app/http/request-safety.server.ts";
import { findTargetRefusal } from "./app/http/request-target.ts";
import { openSockets, sendText } from "./app/http/sockets.server.ts";
import { createStaticFiles } from "./app/http/static-files.server.ts";
import { createLog } from "./app/log/log.server.ts";
import { explainStartError } from "./app/start-errors.server.ts";
import type { IdentitySandbox } from "./sandbox/identity/sandbox.ts";
import type { Mailbox } from "./sandbox/mailbox/mailbox.ts";
import type { StripeSandbox } from "./sandbox/stripe/sandbox.ts";

/** How long open requests may take to end after a signal, in milliseconds. */
const DRAIN_MILLISECONDS = 10_000;
/** The second ends the process at once. With npm every Ctrl-C comes twice: from the terminal, and passed on by npm. */
const SIGNALS_THAT_END_AT_ONCE = process.env.npm_lifecycle_event ? 3 : 2;
/** A web Request cannot be made with these. */
const UNSUPPORTED_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

const config = readOrExit();
const log = createLog(config.logLevel);
const safety = createRequestSafety(log);
const isDev = process.argv.includes("--dev");
const sockets = openSockets((error) => log.error({ error }, "the server's socket failed"));
const loopback = `http://${loopbackHost()}:${config.port}`;

/** What was opened, in that order; given back in the other. */
const opened: (() => Promise<unknown>)[] = [];
let isReady = false;
let isStopping = false;
let signals = 0;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, endOnSignal);

try {
  await start();
} catch (error) {
  // A signal in the middle of starting takes away what the start still wanted.
  if (!isStopping) {
    const explained = explainStartError(error, config);
    if (error instanceof ConfigError) sayWhatToMend(error);
    else if (explained) console.error(`Cannot start: ${explained}`);
    else console.error("Cannot start:", error);
    await end(1);
  }
}

async function start(): Promise<void> {
  // First, so that a port that is taken is said before a database is made, and nobody is refused meanwhile.
  await sockets.listen(config.port, config.hosts);
  if (config.isSandboxPublic) {
    log.warn(
      "whoever can reach this address may sign in as anybody and read all mail: the sandboxes are open",
    );
  }
  const opening = config.databaseUrl ? null : openEmbeddedPostgres(config.dataDir, console.log);
  // Noted before it is there, so that a signal in the middle of its start waits and then stops it.
  if (opening) {
    opened.push(async () => {
      const postgres = await opening.catch(() => null);
      await postgres?.release();
    });
  }
  const databaseUrl = config.databaseUrl ?? (await opening)?.url ?? "";
  await applyMigrations(databaseUrl, { say: (line) => console.log(line) });
  const { db, pool } = connect(
    databaseUrl,
    config.databasePoolSize,
    (error) => log.warn({ error }, "lost a connection"),
    config.databaseTimeoutSeconds,
  );
  opened.push(() => endPool(pool));
  await checkDatabaseMode(pool, config.payments);
  const readiness = watchReadiness(databaseUrl, log);
  opened.push(readiness.close);

  const mailbox = config.mail.mode === "sandbox" ? await openSandboxMailbox(pool) : null;
  if (mailbox) opened.push(mailbox.close);
  const createOptions = {
    config,
    db,
    log,
    sandboxUrl: `${loopback}/sandbox/stripe`,
    sandboxSmtpUrl: mailbox?.smtpUrl ?? null,
    sandboxIdentity: config.isProduction ? null : await findIdentitySandbox(),
  };
  const site = isDev
    ? await (await import("./server.development.ts")).openDevelopmentSite(sockets.server, createOptions)
    : await openBuiltSite(createOptions);
  opened.push(site.stop);
  const sandbox = config.payments.mode === "sandbox" ? await openStripeSandbox(pool, config.payments) : null;
  if (sandbox) opened.push(sandbox.close);

  const identity = config.isProduction ? null : await openIdentitySandbox(pool);

  const sandboxes = { "/sandbox/stripe": sandbox, "/sandbox/mail": mailbox, "/sandbox/identity": identity };
  // From here on no exception ends the process (decision 0026).
  process.on("uncaughtException", safety.onUncaught);
  sockets.answerWith(answerWith({ site, sandboxes, canServe: () => isReady && readiness.isReady() }));
  // An open tab's hot reload never ends by itself, and nobody waits for it.
  opened.push(() => sockets.close(isDev ? 500 : DRAIN_MILLISECONDS));
  // Before requests are drained: some of them may wait for it alone.
  if (identity) opened.push(identity.close);
  await sandbox?.prepare();
  await (await site.app()).start();
  isReady = true;
  console.log(`ready on ${config.publicOrigin}`);
}

function endOnSignal(): void {
  signals++;
  if (!isStopping) void end(0);
  else if (signals >= SIGNALS_THAT_END_AT_ONCE) process.exit(1);
}

/**
 * Lets what is under way end and gives everything back. First `/readyz` says that it ends while requests are still
 * taken, so that who sends them has time to send them elsewhere. A second signal ends the process at once.
 */
async function end(code: number): Promise<void> {
  const wasReady = isReady;
  isStopping = true;
  isReady = false;
  sockets.startDraining();
  if (wasReady) await sleep(config.drainSeconds * 1000);
  for (const giveBack of opened.reverse()) {
    await giveBack().catch((error: unknown) => log.warn({ error }, "something could not be given back"));
  }
  process.exit(code);
}

interface Answering {
  site: Site;
  /** By the path each is mounted at; `null`: the real service is used instead. */
  sandboxes: Record<string, Sandbox | null>;
  canServe: () => Promise<boolean> | false;
}

interface Sandbox {
  handle(request: Request): Promise<Response>;
}

function answerWith({ site, sandboxes, canServe }: Answering): RequestListener {
  const options = { ...urlParts(), onError: safety.failedResponse };
  const mounted = Object.entries(sandboxes).flatMap(([path, sandbox]) =>
    sandbox ? [{ path, answer: createRequestListener(limited(sandbox), options) }] : [],
  );
  const toApp = createRequestListener(
    async (request: Request, peer: { address: string }) => (await site.app()).fetch(request, peer.address),
    options,
  );

  const answer = safety.guard((request, response) => {
    const path = pathOf(request);
    if (!path || UNSUPPORTED_METHODS.has(request.method ?? "")) {
      sendText(response, path ? 405 : 400, "This is not a request we understand.", {
        Allow: "GET, HEAD, POST",
      });
      return;
    }
    request.url = path;
    const sandbox = path.startsWith("/sandbox/") && mounted.find((sandbox) => path.startsWith(sandbox.path));
    if (path === "/healthz") sendText(response, 200, "alive");
    else if (path === "/readyz") void answerReadiness(response, canServe);
    else if (sandbox) void sandbox.answer(request, response);
    else site.assets(request, response, () => toApp(request, response));
    // An empty request never says that it has ended, and whoever reads its body as a stream waits for that.
    if (request.readableEnded && request.method !== "GET") request.emit("end");
  });

  // What is in memory first: everything asked before it is asked of every visitor.
  return (request, response) => site.answerFromMemory(request, response, answer);
}

/** A sandbox is asked what the app would be: nothing larger, and no address that cannot be read. */
function limited(sandbox: Sandbox): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname: path, search } = new URL(request.url);
    const refusal = findTargetRefusal({ pathname: path, search });
    const limited = refusal ? { ok: false as const, ...refusal } : await limitBody(request);
    if (limited.ok) return sandbox.handle(limited.request);
    const { status, message } = limited;
    log.info({ method: request.method, path, status }, "refused");
    return new Response(message, { status });
  };
}

/** The path and query that were asked for; a proxy may send them as a whole URL (RFC 9112 §3.2.2). */
function pathOf(request: IncomingMessage): string | null {
  const target = request.url ?? "";
  if (target.startsWith("/")) return target;
  const url = URL.parse(target);
  return url?.protocol.startsWith("http") ? url.pathname + url.search : null;
}

async function answerReadiness(response: ServerResponse, canServe: Answering["canServe"]): Promise<void> {
  const isServing = await canServe();
  sendText(response, isServing ? 200 : 503, isServing ? "ready" : "not ready");
}

/** Where we reach ourselves: on this machine, unless we listen on another of its addresses only. */
function loopbackHost(): string {
  const [host = "127.0.0.1"] = config.hosts;
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Behind a TLS proxy the socket says http; the origin people use is the one that counts. */
function urlParts() {
  const { host, protocol } = new URL(config.publicOrigin);
  return { host, protocol };
}

export type CreateOptions = Parameters<typeof import("./app/app.server.ts")["createApp"]>[0];

export interface Site {
  app(): Promise<Pick<RunningApp, "fetch" | "start">>;
  answerFromMemory(request: IncomingMessage, response: ServerResponse, next: RequestListener): void;
  assets(request: IncomingMessage, response: ServerResponse, next: () => void): void;
  stop(): Promise<void>;
}

async function openBuiltSite(options: CreateOptions): Promise<Site> {
  // The build is made by Vite, so the type of its entry is the source's.
  const { createApp }: typeof import("./app/app.server.ts") = await import(
    "./build/server/index.js" as string
  );
  const app = createApp(options);
  const assets = createStaticFiles(
    join(import.meta.dirname, "build/client"),
    config.publicOrigin.startsWith("https:"),
  );
  return { app: async () => app, answerFromMemory: app.answerFromMemory, assets, stop: app.stop };
}

async function openSandboxMailbox(pool: Pool): Promise<Mailbox> {
  const { openMailbox } = await import("./sandbox/mailbox/mailbox.ts");
  return openMailbox({ pool, log: (message) => log.debug(message) });
}

async function openStripeSandbox(
  pool: Pool,
  payments: { secretKey: string; webhookSecret: string },
): Promise<StripeSandbox> {
  const { createStripeSandbox } = await import("./sandbox/stripe/sandbox.ts");
  const { seedPromoCodes } = await import("./sandbox/promo-codes.ts");
  await seedPromoCodes(pool);
  return createStripeSandbox({
    ...payments,
    pool,
    publicOrigin: config.publicOrigin,
    webhookUrl: `${loopback}/webhooks/stripe`,
    log: (message) => log.debug(message),
  });
}

async function findIdentitySandbox() {
  const { identityEndpoints } = await import("./sandbox/identity/endpoints.ts");
  return identityEndpoints(config.publicOrigin, loopback);
}

async function openIdentitySandbox(pool: Pool): Promise<IdentitySandbox> {
  const { identityClients } = await import("./sandbox/identity/clients.ts");
  const { createIdentitySandbox } = await import("./sandbox/identity/sandbox.ts");
  return createIdentitySandbox({
    pool,
    publicOrigin: config.publicOrigin,
    loopback,
    clients: identityClients,
    log: (message) => log.debug(message),
  });
}

function readOrExit() {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    sayWhatToMend(error);
    process.exit(1);
  }
}

function sayWhatToMend({ message }: ConfigError): void {
  console.error(`Cannot start. Mend these settings (see .env.example):\n${message}`);
}
