import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequestListener } from "@remix-run/node-fetch-server";
import sirv from "sirv";
import type { RunningApp } from "./app/app.server.ts";
import { ConfigError, readConfig, readEnvironment } from "./app/config.server.ts";
import { applyMigrations, connect } from "./app/db/client.server.ts";
import { openEmbeddedPostgres } from "./app/db/embedded.server.ts";
import { checkPurpose } from "./app/db/purpose.server.ts";
import { createLog } from "./app/log.server.ts";

/** How long open requests may take to end after a signal, in milliseconds. */
const DRAIN_MILLISECONDS = 10_000;
/** A web Request cannot be made with these. */
const UNSUPPORTED_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

const config = readOrExit();
const log = createLog(config.logLevel);
const isDev = process.argv.includes("--dev");

const embedded = config.databaseUrl ? null : await openEmbeddedPostgres(config.dataDir, console.log);
const databaseUrl = config.databaseUrl ?? embedded?.url ?? "";
await applyMigrations(databaseUrl);
const { db, pool } = connect(databaseUrl, config.databasePoolSize, (error) =>
  log.warn({ error }, "lost a connection"),
);

await checkPurpose(pool, config.payments.mode === "sandbox").catch(async (error: unknown) => {
  await pool.end();
  await embedded?.release();
  refuseToStart(error);
});

let isReady = false;
const server = createServer(
  { requestTimeout: 30_000, headersTimeout: 15_000, keepAliveTimeout: 65_000 },
  listen,
);

const loopback = `http://127.0.0.1:${config.port}`;
const sandbox = config.payments.mode === "sandbox" ? await openSandbox(config.payments) : null;
const site = isDev ? await openDevelopmentSite() : await openBuiltSite();

const toSandbox = sandbox && createRequestListener(sandbox.handle, urlParts());
const toApp = createRequestListener(async (request) => (await site.app()).fetch(request), {
  ...urlParts(),
  onError(error) {
    log.error({ error }, "a request failed outside the router");
    return new Response("Unexpected Application Error!", { status: 500 });
  },
});

await new Promise<void>((resolve, reject) => {
  server.once("error", reject);
  server.listen(config.port, config.host, resolve);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
await sandbox?.prepare();
await (await site.app()).start();
isReady = true;
console.log(`ready on ${config.publicOrigin}`);

function listen(request: IncomingMessage, response: ServerResponse): void {
  const path = pathOf(request);
  if (!path || UNSUPPORTED_METHODS.has(request.method ?? "")) {
    return void plain(response, path ? 501 : 400, "This is not a request we understand.");
  }
  request.url = path;
  if (path === "/healthz") plain(response, 200, "alive");
  else if (path === "/readyz") void answerReadiness(response);
  else if (toSandbox && path.startsWith("/sandbox/stripe")) void toSandbox(request, response);
  else site.assets(request, response, () => toApp(request, response));
}

/** The path and query that were asked for; a proxy may send them as a whole URL (RFC 9112 §3.2.2). */
function pathOf(request: IncomingMessage): string | null {
  const target = request.url ?? "";
  if (target.startsWith("/")) return target;
  const url = URL.parse(target);
  return url?.protocol.startsWith("http") ? url.pathname + url.search : null;
}

async function answerReadiness(response: ServerResponse): Promise<void> {
  const canServe =
    isReady &&
    (await pool.query("SELECT 1").then(
      () => true,
      () => false,
    ));
  plain(response, canServe ? 200 : 503, canServe ? "ready" : "not ready");
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain", "Cache-Control": "no-store" }).end(text);
}

/** Behind a TLS proxy the socket says http; the origin people use is the one that counts. */
function urlParts() {
  const { host, protocol } = new URL(config.publicOrigin);
  return { host, protocol };
}

interface Site {
  app(): Promise<RunningApp>;
  assets(request: IncomingMessage, response: ServerResponse, next: () => void): void;
}

async function openBuiltSite(): Promise<Site> {
  // The build is made by Vite, so the type of its entry is the source's.
  const { createApp }: typeof import("./app/app.server.ts") = await import(
    "./build/server/index.js" as string
  );
  const app = createApp({ config, db, log, sandboxUrl: `${loopback}/sandbox/stripe` });
  const assets = sirv("build/client", {
    etag: true,
    setHeaders(response, path) {
      const isHashed = path.startsWith("/assets/");
      response.setHeader(
        "Cache-Control",
        isHashed ? "public, max-age=31536000, immutable" : "public, max-age=3600",
      );
    },
  });
  return { app: async () => app, assets };
}

async function openDevelopmentSite(): Promise<Site> {
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
        const isRestart = loaded !== undefined;
        await loaded?.app.stop();
        loaded = { createApp, app: createApp({ config, db, log, sandboxUrl: `${loopback}/sandbox/stripe` }) };
        if (isRestart) await loaded.app.start();
      }
      return loaded.app;
    },
    assets: vite.middlewares,
  };
}

async function openSandbox(payments: { secretKey: string; webhookSecret: string }) {
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

/** Lets what is under way end, then gives everything back; a second signal ends the process at once. */
async function stop(): Promise<void> {
  isReady = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const closed = new Promise((resolve) => server.close(resolve));
  // Again and again: a connection whose request ends now would otherwise stay open for the next one.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  setTimeout(() => server.closeAllConnections(), DRAIN_MILLISECONDS).unref();
  await closed;
  clearInterval(sweep);
  await (await site.app()).stop();
  await sandbox?.close();
  await pool.end();
  await embedded?.release();
  process.exit(0);
}

function readOrExit() {
  try {
    return readConfig(readEnvironment());
  } catch (error) {
    return refuseToStart(error);
  }
}

function refuseToStart(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`Cannot start. Mend these settings (see .env.example):\n${error.message}`);
  process.exit(1);
}
