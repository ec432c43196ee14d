import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as build from "virtual:react-router/server-build";
import { createRequestHandler, RouterContextProvider, type ServerBuild } from "react-router";
import { ensureSigningKey } from "./auth/keys.server.ts";
import { NOTIFY_OWNER, writeOwnerMail } from "./auth/notify-owner.server.ts";
import { connectProviders } from "./auth/providers/connect.server.ts";
import type { ProviderEndpoints } from "./auth/providers/endpoints.ts";
import { PROVIDERS } from "./auth/providers/providers.ts";
import { createBackgroundLoop } from "./background-loop.server.ts";
import { syncCatalogue } from "./billing/catalogue.server.ts";
import { watchCatalogue } from "./billing/catalogue-watch.server.ts";
import { customerHandlers, syncHandlers } from "./billing/job-handlers.server.ts";
import { SYNC_CATALOGUE } from "./billing/job-kinds.server.ts";
import { connectPayments } from "./billing/stripe.server.ts";
import type { Config } from "./config/config.server.ts";
import type { Database } from "./db/client.server.ts";
import { connectHostedApp } from "./hosted-app/hosted-app.server.ts";
import { describeBareError } from "./http/bare-error.server.ts";
import { limitBody } from "./http/body-limit.server.ts";
import { callableError } from "./http/callable.server.ts";
import { type App, appContext, OURSELVES, type RequestState, requestContext } from "./http/context.server.ts";
import { answerPreflight, applyCors } from "./http/cors.ts";
import { compress } from "./http/encoding.server.ts";
import { failure } from "./http/errors.ts";
import {
  isAllowedOrigin,
  isJsonEndpoint,
  type OriginRules,
  SAFE_METHODS,
  withoutForeignOrigin,
} from "./http/origin-check.ts";
import { createPageCache } from "./http/page-cache.server.ts";
import { createCanonicalPaths, findTargetRefusal, type Refusal } from "./http/request-target.ts";
import { applySecurityHeaders } from "./http/security-headers.server.ts";
import { withUnavailable } from "./http/unavailable.server.ts";
import { clientBucket } from "./limits/client-address.ts";
import type { Log } from "./log/log.server.ts";
import { deliverMail } from "./mail/deliver.server.ts";
import { SEND_MAIL } from "./mail/enqueue-mail.server.ts";
import { connectMail } from "./mail/mail.server.ts";
import { PUBLIC_PAGES } from "./marketing/pages.ts";
import { enqueue, handleJob } from "./outbox/outbox.server.ts";
import { createWorker } from "./outbox/worker.server.ts";
import { PATH_RULES } from "./path-rules.ts";
import { sweepAll } from "./sweeps.server.ts";
import { createUserHooks } from "./user-hooks.server.ts";

/** How long the start waits for the catalogue. */
const CATALOGUE_TIMEOUT_MILLISECONDS = 3_000;
const SWEEP_INTERVAL_MILLISECONDS = 30_000;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** In characters. */
const MAX_LOGGED_PATH_LENGTH = 200;

export type RunningApp = ReturnType<typeof createApp>;

/**
 * Composition root: creates everything that a process needs once and passes it to the routes as `appContext`. server.ts
 * owns the sockets and the lifetime of the database.
 */
export function createApp({
  config,
  db,
  log,
  sandboxUrl,
  sandboxSmtpUrl,
  sandboxIdentity,
}: {
  config: Config;
  db: Database;
  log: Log;
  sandboxUrl: string;
  /** The mail server of the sandbox; `null` without a sandbox. */
  sandboxSmtpUrl: string | null;
  /** The sandbox's sign-in providers; `null` without a sandbox. */
  sandboxIdentity: ProviderEndpoints | null;
}) {
  const providers = connectProviders(config.providers, sandboxIdentity);
  const payments = connectPayments(config.payments, sandboxUrl);
  const { publicOrigin, site } = config;
  const originRules: OriginRules = {
    publicOrigin,
    fromAnywhere: PATH_RULES.fromAnywhere,
    handoff: config.handoff && { path: PATH_RULES.handoff, origin: config.handoff.origin },
  };
  const mailer = connectMail(config.mail, { name: site.product, publicOrigin }, sandboxSmtpUrl);
  // Separate workers, so that neither an unresponsive mail server nor thousands of changed names delay a payment;
  // several jobs at a time, so that one user's does not block those of all others.
  const workers = [
    createWorker({ db, log }, syncHandlers({ db, log, payments }), 3),
    createWorker({ db, log }, customerHandlers({ db, log, payments }), 2),
    createWorker(
      { db, log },
      [
        handleJob(SEND_MAIL, (mail, job) => deliverMail({ mailer, log }, mail, job)),
        handleJob(NOTIFY_OWNER, (notification) => writeOwnerMail(db, site, notification)),
      ],
      2,
    ),
  ];
  const hostedApp = config.handoff && connectHostedApp(config.handoff, log);
  const userHooks = createUserHooks(config);
  const app: App = { config, db, providers, payments, mailer, hostedApp, log, userHooks };
  const { routes } = build as unknown as ServerBuild;
  const canonicalPath = createCanonicalPaths(pathsOf(routes));
  const route = createRequestHandler(
    withUnavailable(build as unknown as ServerBuild, log),
    import.meta.env.PROD ? "production" : "development",
  );

  const catalogue = watchCatalogue(app);
  const answerFromMemory = createPageCache({
    pages: PUBLIC_PAGES,
    render: (path) => answer(new Request(publicOrigin + path), OURSELVES),
    // Neither decreases, so the sum increases whenever one of them does.
    version: () => catalogue.revision() + Math.floor(Date.now() / DAY_MILLISECONDS),
    onError: (error, path) => log.warn({ error, path }, "a public page could not be rendered anew"),
  });

  let isStopping = false;
  const sweeps = createBackgroundLoop(sweep, {
    pauseMilliseconds: SWEEP_INTERVAL_MILLISECONDS,
    onError: (error) => log.error({ error }, "the sweeps could not run"),
  });

  return {
    /** Serves public pages; calls `next` for any other request. */
    answerFromMemory,
    /** @param peerAddress of the request's socket */
    async fetch(request: Request, peerAddress: string): Promise<Response> {
      const client = clientBucket(peerAddress, request.headers.get("X-Forwarded-For"), config.trustedProxies);
      return compress(await answer(request, client), request.headers.get("Accept-Encoding"));
    },
    start,
    stop,
  };

  /**
   * Starts the background work. Waits for the first sync of the catalogue, but only for a moment: while Stripe is
   * unreachable the site runs without it, and the outbox keeps retrying.
   */
  async function start(): Promise<void> {
    if (payments.isOn) {
      const mirrored = syncCatalogue(payments.stripe, db).catch(async (error: unknown) => {
        log.warn({ error }, "the catalogue could not be mirrored");
        await enqueue(db, SYNC_CATALOGUE, {});
      });
      await Promise.race([mirrored, sleep(CATALOGUE_TIMEOUT_MILLISECONDS)]);
    } else {
      log.warn({ reason: payments.reason }, "payments are off");
    }
    if (!mailer.isOn) log.warn({ reason: mailer.reason }, "mail is off");
    for (const provider of PROVIDERS) {
      const connection = providers[provider];
      if (!connection.isOn) log.warn({ provider, reason: connection.reason }, "a sign-in provider is off");
    }
    if (config.isProduction && site.supportEmail.endsWith(".example")) {
      log.warn("SUPPORT_EMAIL is not set: what people write to support reaches nobody");
    }
    // We serve plain HTTP, so a proxy must terminate TLS.
    if (publicOrigin.startsWith("https:") && config.trustedProxies.length === 0) {
      log.warn("TRUSTED_PROXIES is not set: everybody who comes by the proxy counts as one client");
    }
    await ensureSigningKey(app);
    for (const worker of workers) worker.start();
    await catalogue.start();
    void sweeps.start();
  }

  async function stop(): Promise<void> {
    isStopping = true;
    await Promise.all([...workers.map((worker) => worker.stop()), catalogue.stop(), sweeps.stop()]);
    if (mailer.isOn) mailer.close();
  }

  async function sweep(): Promise<void> {
    await sweepAll({ config, db, payments, log }, () => isStopping);
    wakeWorkers();
  }

  function wakeWorkers(): void {
    for (const worker of workers) worker.wake();
  }

  async function answer(incoming: Request, client: string): Promise<Response> {
    const nonce = randomUUID().replaceAll("-", "");
    const state: RequestState = { id: randomUUID(), nonce, client, setCookies: [] };
    const { body, status, statusText, headers } = await handle(incoming, state);
    // Any unsafe request may have queued a job.
    if (!SAFE_METHODS.has(incoming.method)) wakeWorkers();
    // A new response, because the headers of a redirect are immutable.
    const response = new Response(body, { status, statusText, headers });
    for (const cookie of state.setCookies) response.headers.append("Set-Cookie", cookie);
    if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
    if (status >= 500) response.headers.set("X-Request-Id", state.id);
    if (status === 405 && !response.headers.has("Allow")) response.headers.set("Allow", "GET, HEAD");
    applyCors(response.headers, incoming, config.corsOrigins);
    applySecurityHeaders(response.headers, config.publicOrigin.startsWith("https:"));
    return response;
  }

  async function handle(incoming: Request, state: RequestState): Promise<Response> {
    const preflight = answerPreflight(incoming);
    if (preflight) return preflight;
    const url = new URL(incoming.url);
    const refusal = findTargetRefusal(url);
    if (refusal) return respondWithRefusal(incoming, state, refusal);
    const path = canonicalPath(url.pathname);
    if (path) return new Response(null, { status: 308, headers: { Location: path + url.search } });
    if (!isAllowedOrigin(incoming, originRules)) return forbiddenOrigin(incoming);
    const limited = await limitBody(withoutForeignOrigin(incoming, originRules), PATH_RULES.events);
    if (!limited.ok) return respondWithRefusal(incoming, state, limited);
    const answer = await route(limited.request, contextOf(state));
    return describeBareError(limited.request, answer, { id: state.id, supportEmail: site.supportEmail });
  }

  /**
   * Answers a request that is refused before routing: on JSON endpoints with a callable error, which has no code for a
   * 413; otherwise with a page, or for React Router's data requests with the data of that page.
   */
  async function respondWithRefusal(incoming: Request, state: RequestState, { status, message }: Refusal) {
    const { pathname } = new URL(incoming.url);
    const { method, signal } = incoming;
    state.refusal = { status: isJsonEndpoint(incoming) ? 400 : status, message };
    const path = pathname.slice(0, MAX_LOGGED_PATH_LENGTH);
    log.info({ id: state.id, method, path, status: state.refusal.status }, "refused");
    if (isJsonEndpoint(incoming)) return callableError(failure(400, message));
    const isDataRequest = method === "POST" && pathname.endsWith(".data");
    const page = isDataRequest ? "/refused.data" : "/refused";
    return route(
      new Request(publicOrigin + page, { method: isDataRequest ? "POST" : "GET", signal }),
      contextOf(state),
    );
  }

  function contextOf(state: RequestState): RouterContextProvider {
    const context = new RouterContextProvider();
    context.set(appContext, app);
    context.set(requestContext, state);
    return context;
  }
}

/** The 403 for an unsafe request from another origin. */
function forbiddenOrigin(request: Request): Response {
  const forbidden = failure(403, "This was sent from another site.");
  if (isJsonEndpoint(request)) return callableError(forbidden);
  return new Response(forbidden.message, {
    status: forbidden.status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}

/** The full path patterns of all routes. */
function pathsOf(routes: ServerBuild["routes"]): string[] {
  const pathOf = (route: ServerRoute | undefined): string[] =>
    route ? [...pathOf(routes[route.parentId ?? ""]), ...(route.path ? [route.path] : [])] : [];
  return Object.values(routes).map((route) => pathOf(route).join("/"));
}

type ServerRoute = NonNullable<ServerBuild["routes"][string]>;
