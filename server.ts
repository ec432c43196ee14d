import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRequestListener } from "@remix-run/node-fetch-server";
import type { Pool } from "pg";
import type { RunningApp } from "./app/app.server.ts";
import { ConfigError, readConfig, readEnvironment } from "./app/config.server.ts";
import { applyMigrations, connect, endPool } from "./app/db/client.server.ts";
import { openEmbeddedPostgres } from "./app/db/embedded.server.ts";
import { checkPurpose } from "./app/db/purpose.server.ts";
import { limitBody } from "./app/http/body-limit.ts";
import { createRequestSafety } from "./app/http/request-safety.ts";
import { refuseTarget } from "./app/http/request-target.ts";
import { createStaticFiles } from "./app/http/static-files.ts";
import { createLog } from "./app/log.server.ts";
import type { IdentitySandbox } from "./sandbox/identity/sandbox.ts";
import type { Mailbox } from "./sandbox/mailbox/mailbox.ts";
import type { StripeSandbox } from "./sandbox/stripe/sandbox.ts";

/** How long open requests may take to end after a signal, in milliseconds. */
const DRAIN_MILLISECONDS = 10_000;
/** How long the database may take to answer whether it is there, in milliseconds. */
const READY_MILLISECONDS = 3_000;
/** A web Request cannot be made with these. */
const UNSUPPORTED_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

const config = readOrExit();
const log = createLog(config.logLevel);
const safety = createRequestSafety(log);
const isDev = process.argv.includes("--dev");
const loopback = `http://127.0.0.1:${config.port}`;

/** What was opened, in that order; given back in the other. */
const opened: (() => Promise<unknown>)[] = [];
let isStopping = false;
let isReady = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => (isStopping ? process.exit(1) : end(0)));

try {
  await start();
} catch (error) {
  // A signal in the middle of starting takes away what the start still wanted.
  if (!isStopping) {
    if (error instanceof ConfigError) sayWhatToMend(error);
    else console.error("Cannot start:", error);
    await end(1);
  }
}

async function start(): Promise<void> {
  const opening = config.databaseUrl ? null : openEmbeddedPostgres(config.dataDir, console.log);
  // Noted before it is there, so that a signal in the middle of its start waits and then stops it.
  if (opening) opened.push(async () => (await opening).release());
  const databaseUrl = config.databaseUrl ?? (await opening)?.url ?? "";
  await applyMigrations(databaseUrl);
  const { db, pool } = connect(databaseUrl, config.databasePoolSize, (error) =>
    log.warn({ error }, "lost a connection"),
  );
  opened.push(() => endPool(pool));
  await checkPurpose(pool, config.payments);

  const server = createServer({
    requestTimeout: 30_000,
    headersTimeout: 15_000,
    keepAliveTimeout: 65_000,
    // No stream is set up for a body that is not there; see answerWith.
    optimizeEmptyRequests: true,
  });
  server.on("error", (error) => log.error({ error }, "the server's socket failed"));
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
  const site = isDev ? await openDevelopmentSite(server, createOptions) : await openBuiltSite(createOptions);
  opened.push(site.stop);
  const sandbox = config.payments.mode === "sandbox" ? await openStripeSandbox(pool, config.payments) : null;
  if (sandbox) opened.push(sandbox.close);

  const identity = config.isProduction ? null : await openIdentitySandbox(pool);

  const sandboxes = { "/sandbox/stripe": sandbox, "/sandbox/mail": mailbox, "/sandbox/identity": identity };
  // From here on no exception ends the process (decision 0026).
  process.on("uncaughtException", safety.onUncaught);
  server.on("request", answerWith({ site, sandboxes, canServe: () => isReady && isReachable(pool) }));
  opened.push(() => drain(server));
  // Before requests are drained: some of them may wait for it alone.
  if (identity) opened.push(identity.close);
  server.listen(config.port, config.host);
  await once(server, "listening");
  await sandbox?.prepare();
  await (await site.app()).start();
  isReady = true;
  console.log(`ready on ${config.publicOrigin}`);
}

/** Lets what is under way end and gives everything back. A second signal ends the process at once. */
async function end(code: number): Promise<void> {
  isStopping = true;
  isReady = false;
  for (const giveBack of opened.reverse()) {
    await giveBack().catch((error: unknown) => log.warn({ error }, "something could not be given back"));
  }
  process.exit(code);
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // Again and again: a connection whose request ends now would otherwise stay open for the next one.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  // An open tab's hot reload never ends by itself, and nobody waits for it.
  await Promise.race([closed, sleep(isDev ? 500 : DRAIN_MILLISECONDS)]);
  clearInterval(sweep);
  server.closeAllConnections();
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
      plain(response, path ? 501 : 400, "This is not a request we understand.");
      return;
    }
    request.url = path;
    const sandbox = path.startsWith("/sandbox/") && mounted.find((sandbox) => path.startsWith(sandbox.path));
    if (path === "/healthz") plain(response, 200, "alive");
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
    const refusal = refuseTarget({ pathname: path, search });
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
  plain(response, isServing ? 200 : 503, isServing ? "ready" : "not ready");
}

/** A database that does not answer soon is not one to serve with. */
async function isReachable(pool: Pool): Promise<boolean> {
  const answered = pool.query("SELECT 1").then(
    () => true,
    () => false,
  );
  return Promise.race([answered, sleep(READY_MILLISECONDS, false)]);
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain", "Cache-Control": "no-store" }).end(text);
}

/** Behind a TLS proxy the socket says http; the origin people use is the one that counts. */
function urlParts() {
  const { host, protocol } = new URL(config.publicOrigin);
  return { host, protocol };
}

type CreateOptions = Parameters<typeof import("./app/app.server.ts")["createApp"]>[0];

interface Site {
  app(): Promise<RunningApp>;
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

async function openDevelopmentSite(server: Server, options: CreateOptions): Promise<Site> {
  const { createServer: createViteServer } = await import("vite");
  const vite = await createViteServer({
    server: { middlewareMode: true, hmr: { server } },
    appType: "custom",
  });
  let loaded: { createApp: unknown; app: RunningApp } | undefined;
  return {
    async app() {
      const { createApp } = (await vite.ssrLoadModule(
        "./app/app.server.ts",
      )) as typeof import("./app/app.server.ts");
      if (loaded?.createApp !== createApp) {
        const outdated = loaded?.app;
        // Written down before anything is awaited, so that two requests do not both replace it.
        const app = createApp(options);
        loaded = { createApp, app };
        await outdated?.stop();
        if (outdated) await app.start();
      }
      return loaded.app;
    },
    answerFromMemory: (request, response, next) => next(request, response),
    assets: vite.middlewares,
    async stop() {
      await loaded?.app.stop();
      await vite.close();
    },
  };
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
    return readConfig(readEnvironment());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    sayWhatToMend(error);
    process.exit(1);
  }
}

function sayWhatToMend({ message }: ConfigError): void {
  console.error(`Cannot start. Mend these settings (see .env.example):\n${message}`);
}
