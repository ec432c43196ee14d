import { setTimeout as sleep } from "node:timers/promises";
import * as build from "virtual:react-router/server-build";
import type { ServerBuild } from "react-router";
import { createSessionCookieTest } from "./auth/cookies.server.ts";
import { ensureSigningKey } from "./auth/keys.server.ts";
import { connectProviders, type ProviderEndpoints } from "./auth/providers/connect.server.ts";
import { PROVIDERS } from "./auth/providers/providers.ts";
import { createBackgroundLoop } from "./background-loop.server.ts";
import { syncCatalogue } from "./billing/catalogue.server.ts";
import { watchCatalogue } from "./billing/catalogue-state.server.ts";
import { SYNC_CATALOGUE } from "./billing/job-kinds.server.ts";
import { connectPayments } from "./billing/stripe.server.ts";
import type { Config } from "./config/config.server.ts";
import type { Database } from "./db/client.server.ts";
import type { Notifications } from "./db/notifications.server.ts";
import { watchFeatures } from "./entitlements/features.server.ts";
import { createViewCounter } from "./figures/page-views.server.ts";
import { TRIED_IT } from "./figures/visitors.ts";
import { createHandler } from "./handler.server.ts";
import { connectHostedApp } from "./hosted-app/hosted-app.server.ts";
import { type App, INTERNAL_CLIENT } from "./http/context.server.ts";
import { createPageCache, isPrefetch } from "./http/page-cache.server.ts";
import { createWorkers } from "./jobs.server.ts";
import { clientBucket } from "./limits/client-address.ts";
import type { Log } from "./log/log.server.ts";
import { connectMail } from "./mail/mail.server.ts";
import { ALL_PUBLIC_PAGES } from "./marketing/blog/posts.server.ts";
import { isTryItForm } from "./marketing/try-it/from-query.ts";
import { watchChangelog } from "./news/changelog.server.ts";
import { enqueue } from "./outbox/outbox.server.ts";
import { startWarnings } from "./start-warnings.server.ts";
import { createSweeps } from "./sweeps.server.ts";
import type { RequestNotes } from "./telemetry/requests.server.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { newWorkId } from "./telemetry/work.server.ts";
import { connectAppCheck } from "./tokens/app-check.server.ts";

/** For the first sync of the catalog. */
const CATALOGUE_TIMEOUT_MILLISECONDS = 3_000;
const SWEEP_PATIENCE_MILLISECONDS = 10_000;
const SWEEP_INTERVAL_MILLISECONDS = 30_000;
/** Counted with the views of the public pages. */
const COUNTED_FORMS = ["/waitlist", "/register"];
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

export type RunningApp = ReturnType<typeof createApp>;

/** Creates what a process needs once. serve.server.ts owns the sockets and the lifetime of the database. */
export function createApp(parts: {
  config: Config;
  db: Database;
  log: Log;
  notifications: Notifications;
  requests: { countFromMemory(route: string, isHead: boolean, status: number): void };
  telemetry: Telemetry;
  sandbox: SandboxedServices | null;
}) {
  const { config, db, log, notifications, requests, sandbox, telemetry } = parts;
  const services = connectServices(config, { log, sandbox, telemetry });
  const { mailer, payments, providers } = services;
  const { publicOrigin } = config;
  const features = watchFeatures({ db, log });
  const changelog = watchChangelog({ db, log });
  const catalogue = watchCatalogue({ db, payments, config, log });
  const app: App = {
    features,
    catalogue,
    changelog,
    config,
    db,
    log,
    telemetry,
    ...services,
  };
  const handle = createHandler(app, build as unknown as ServerBuild);

  const hasSession = createSessionCookieTest(config);

  const views = createViewCounter(app, {
    pages: [...ALL_PUBLIC_PAGES.map(({ path }) => path), ...COUNTED_FORMS, TRIED_IT],
    ownHosts: [new URL(publicOrigin).hostname, ...config.authorizedDomains],
  });
  const answerFromMemory = createPageCache({
    pages: ALL_PUBLIC_PAGES,
    render: (path, hasSession) => {
      const notes = { id: newWorkId(), method: "GET", route: path };
      return handle(new Request(publicOrigin + path), { client: INTERNAL_CLIENT, hasSession, notes });
    },
    hasSession,
    // None decreases, so the sum increases whenever one of them does.
    version: () =>
      catalogue.revision() +
      features.revision() +
      changelog.revision() +
      Math.floor(Date.now() / DAY_MILLISECONDS),
    onError: (error, path) => log.warn({ error, path }, "a public page could not be rendered anew"),
    onView: views.count,
    onAnswer: requests.countFromMemory,
  });

  let ended: Promise<void> | undefined;
  const isStopping = () => ended !== undefined;
  const workers = config.role === "web" ? [] : createWorkers(app, isStopping);
  const sweeps =
    config.role === "web"
      ? null
      : createBackgroundLoop(createSweeps(app, isStopping), {
          pauseMilliseconds: SWEEP_INTERVAL_MILLISECONDS,
          onError: (error) => log.error({ error }, "the sweeps could not run"),
        });
  notifications.on("jobs", (kind) => {
    for (const worker of workers) worker.wake(kind);
  });
  notifications.on("changes", () => {
    catalogue.refresh();
    features.refresh();
    changelog.refresh();
  });

  return { answerFromMemory, fetch, start, stopWork, stop };

  async function fetch(request: Request, peerAddress: string, notes: RequestNotes): Promise<Response> {
    const { headers } = request;
    const response = await handle(request, { ...from(peerAddress, headers), notes });
    countView(request, response);
    return response;
  }

  function from(peerAddress: string, headers: Pick<Headers, "get">) {
    const client = clientBucket(peerAddress, headers.get("X-Forwarded-For"), config.trustedProxies);
    return { client, hasSession: hasSession(headers.get("Cookie")) };
  }

  /** Waits for the first sync of the catalog, but not for an unreachable Stripe: the outbox keeps retrying. */
  async function start(): Promise<void> {
    if (!payments.isOn) log.warn({ reason: payments.reason }, "payments are off");
    else if (config.role !== "web") {
      const mirrored = syncCatalogue(payments.stripe, db).catch(async (error: unknown) => {
        log.warn({ error }, "the catalogue could not be mirrored");
        await enqueue(db, SYNC_CATALOGUE, {});
      });
      await Promise.race([mirrored, sleep(CATALOGUE_TIMEOUT_MILLISECONDS)]);
    }
    if (!mailer.isOn) log.warn({ reason: mailer.reason }, "mail is off");
    for (const provider of PROVIDERS) {
      const connection = providers[provider];
      if (!connection.isOn) log.info({ provider, reason: connection.reason }, "a sign-in provider is off");
    }
    for (const warning of startWarnings(config)) log.warn(warning);
    await ensureSigningKey(app);
    await Promise.all([catalogue.start(), features.start(), changelog.start()]);
    for (const worker of workers) worker.start();
    void sweeps?.start();
    void views.start();
  }

  function stopWork(): Promise<void> {
    if (ended) return ended;
    // The next sweep does the rest; every step may be interrupted.
    const swept = sweeps && Promise.race([sweeps.stop(), sleep(SWEEP_PATIENCE_MILLISECONDS)]);
    ended = Promise.all([...workers.map((worker) => worker.stop()), swept]).then(() => {});
    return ended;
  }

  async function stop(): Promise<void> {
    await Promise.all([stopWork(), catalogue.stop(), features.stop(), changelog.stop(), views.stop()]);
    if (mailer.isOn) mailer.close();
  }

  /** Views of public pages not served from memory, and the use of their example. */
  function countView(request: Request, { ok }: Response): void {
    const { method, headers } = request;
    if (method !== "GET" || !ok || isPrefetch(request.headers)) return;
    const url = new URL(request.url);
    const referrer = headers.get("Referer") ?? undefined;
    const userAgent = headers.get("User-Agent") ?? undefined;
    views.count(url.pathname, { referrer, userAgent });
    if (isTryItForm(url)) views.count(TRIED_IT, { referrer, userAgent });
  }
}

/** `null`: the real service. */
export interface SandboxedServices {
  stripeUrl: string | null;
  smtpUrl: string | null;
  identityEndpoints: ProviderEndpoints | null;
}

/** Each as far as there are settings for it. @param sandbox `null` in production */
function connectServices(
  config: Config,
  { log, sandbox, telemetry }: { log: Log; sandbox: SandboxedServices | null; telemetry: Telemetry },
) {
  const sender = { name: config.site.product, publicOrigin: config.publicOrigin };
  return {
    providers: connectProviders(config.providers, sandbox?.identityEndpoints ?? null),
    payments: connectPayments(config.payments, sandbox?.stripeUrl ?? null, telemetry),
    mailer: connectMail(config.mail, sender, sandbox?.smtpUrl ?? null, telemetry),
    hostedApp: config.handoff && connectHostedApp(config.handoff, log),
    appCheck: config.appCheck && connectAppCheck(config.appCheck, log),
  };
}
