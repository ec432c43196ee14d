import { setTimeout as sleep } from "node:timers/promises";
import * as build from "virtual:react-router/server-build";
import type { ServerBuild } from "react-router";
import { ensureSigningKey } from "./auth/keys.server.ts";
import { NOTIFY_OWNER, writeOwnerMail } from "./auth/notify-owner.server.ts";
import { connectProviders } from "./auth/providers/connect.server.ts";
import type { ProviderEndpoints } from "./auth/providers/endpoints.ts";
import { PROVIDERS } from "./auth/providers/providers.ts";
import { createSessionCookieTest } from "./auth/session-cookie.server.ts";
import { createBackgroundLoop } from "./background-loop.server.ts";
import { ANNOUNCE_FEATURE, announceFeature } from "./billing/announcing/announce-feature.server.ts";
import { syncCatalogue } from "./billing/catalogue.server.ts";
import { watchCatalogue } from "./billing/catalogue-watch.server.ts";
import { customerHandlers, syncHandlers } from "./billing/job-handlers.server.ts";
import { SYNC_CATALOGUE } from "./billing/job-kinds.server.ts";
import { RECONCILE, reconcileNightly } from "./billing/reconcile/nightly.server.ts";
import { connectPayments } from "./billing/stripe.server.ts";
import type { Config } from "./config/config.server.ts";
import type { Database } from "./db/client.server.ts";
import { watchFeatures } from "./entitlements/features.server.ts";
import { keepFindings } from "./figures/findings.server.ts";
import { createViewCounter } from "./figures/page-views.server.ts";
import { createHandler } from "./handler.server.ts";
import { connectHostedApp } from "./hosted-app/hosted-app.server.ts";
import { isAhead } from "./http/asked.server.ts";
import { type App, OURSELVES } from "./http/context.server.ts";
import { compress } from "./http/encoding.server.ts";
import { SAFE_METHODS } from "./http/origin-check.ts";
import { createPageCache } from "./http/page-cache.server.ts";
import { createSafePath } from "./http/safe-path.ts";
import { clientBucket } from "./limits/client-address.ts";
import type { Log } from "./log/log.server.ts";
import { deliverMail } from "./mail/deliver.server.ts";
import { SEND_MAIL } from "./mail/enqueue-mail.server.ts";
import { connectMail } from "./mail/mail.server.ts";
import { PUBLIC_PAGES } from "./marketing/pages.ts";
import { enqueue, handleJob } from "./outbox/outbox.server.ts";
import { createWorker } from "./outbox/worker.server.ts";
import { PATH_RULES } from "./path-rules.ts";
import { MAKE_PROMO_BATCH, makeBatchCodes } from "./promo/batches.server.ts";
import { startWarnings } from "./start-warnings.server.ts";
import { sweepAll } from "./sweeps.server.ts";
import type { RequestNotes } from "./telemetry/requests.server.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { newWorkId } from "./telemetry/work.server.ts";
import { connectAppCheck } from "./tokens/app-check.server.ts";
import { createUserHooks } from "./user-hooks.server.ts";
import { SEND_INVITATIONS, sendInvitations } from "./waitlist/invite-job.server.ts";
import { createQueueReader } from "./waitlist/read-queue.server.ts";

/** How long the start waits for the catalogue. */
const CATALOGUE_TIMEOUT_MILLISECONDS = 3_000;
const SWEEP_INTERVAL_MILLISECONDS = 30_000;
/** Forms for people without an account, whose views are counted with those of the public pages. */
const COUNTED_FORMS = ["/waitlist", "/register"];
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

export type RunningApp = ReturnType<typeof createApp>;

/**
 * Composition root: creates everything that a process needs once and passes it to the routes as `appContext`. server.ts
 * owns the sockets and the lifetime of the database.
 */
export function createApp({
  config,
  db,
  log,
  requests,
  sandbox,
  telemetry,
}: {
  config: Config;
  db: Database;
  log: Log;
  /** Told of the pages that are answered from memory. */
  requests: { countFromMemory(route: string, isHead: boolean, status: number): void };
  telemetry: Telemetry;
  /** What stands in for outside services; `null` in production. */
  sandbox: {
    stripeUrl: string | null;
    smtpUrl: string | null;
    identityEndpoints: ProviderEndpoints | null;
  } | null;
}) {
  const providers = connectProviders(config.providers, sandbox?.identityEndpoints ?? null);
  const payments = connectPayments(config.payments, sandbox?.stripeUrl ?? null, telemetry);
  const { publicOrigin, site } = config;
  const sender = { name: site.product, publicOrigin };
  const mailer = connectMail(config.mail, sender, sandbox?.smtpUrl ?? null, telemetry);
  // Separate workers, so that neither an unresponsive mail server nor thousands of changed names delay a payment;
  // several jobs at a time, so that one user's does not block those of all others.
  const workers = [
    createWorker({ db, log, telemetry }, syncHandlers({ config, db, payments }), 3),
    createWorker({ db, log, telemetry }, customerHandlers({ config, db, log, payments }), 2),
    createWorker(
      { db, log, telemetry },
      [
        handleJob(SEND_MAIL, (mail, job) => deliverMail({ db, mailer, log, telemetry }, site, mail, job)),
        handleJob(NOTIFY_OWNER, (notification) => writeOwnerMail(db, site, notification)),
      ],
      2,
    ),
    // What an operator asked for, which can be thousands of rows or go out to everybody.
    createWorker(
      { db, log, telemetry },
      [
        handleJob(MAKE_PROMO_BATCH, ({ batchId }) => makeBatchCodes(db, batchId)),
        handleJob(ANNOUNCE_FEATURE, (announcement, job) =>
          announceFeature(db, site, announcement, job, () => isStopping),
        ),
        handleJob(SEND_INVITATIONS, (invitation) =>
          sendInvitations({ config, db }, invitation, () => isStopping),
        ),
      ],
      2,
    ),
    // It takes as long as all customers together.
    createWorker({ db, log, telemetry }, [
      handleJob(RECONCILE, () =>
        reconcileNightly(
          { config, db, log, payments },
          () => isStopping,
          ({ customers, drift, failed, orphans }) =>
            keepFindings(db, {
              customers,
              ...{ mended: drift.length, failed: failed.length, orphans: orphans.length },
            }),
        ),
      ),
    ]),
  ];
  const hostedApp = config.handoff && connectHostedApp(config.handoff, log);
  const appCheck = config.appCheck && connectAppCheck(config.appCheck, log);
  const userHooks = createUserHooks(config);
  const safePath = createSafePath(PATH_RULES.returnPages);
  const features = watchFeatures({ db, log });
  const app: App = {
    features,
    config,
    db,
    log,
    telemetry,
    safePath,
    providers,
    payments,
    mailer,
    hostedApp,
    appCheck,
    userHooks,
    readWaitlist: createQueueReader(db),
  };
  const handle = createHandler(app, build as unknown as ServerBuild);

  const hasSession = createSessionCookieTest(config);

  const views = createViewCounter(app, {
    pages: [...PUBLIC_PAGES.map(({ path }) => path), ...COUNTED_FORMS],
    ownHosts: [new URL(publicOrigin).hostname, ...config.authorizedDomains],
  });
  const catalogue = watchCatalogue(app);
  const answerFromMemory = createPageCache({
    pages: PUBLIC_PAGES,
    render: (path, hasSession) => {
      const notes = { id: newWorkId(), method: "GET", route: path };
      return handle(new Request(publicOrigin + path), { client: OURSELVES, hasSession, notes });
    },
    hasSession,
    // Neither decreases, so the sum increases whenever one of them does.
    version: () => catalogue.revision() + features.revision() + Math.floor(Date.now() / DAY_MILLISECONDS),
    onError: (error, path) => log.warn({ error, path }, "a public page could not be rendered anew"),
    onView: views.count,
    onAnswer: requests.countFromMemory,
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
    async fetch(request: Request, peerAddress: string, notes: RequestNotes): Promise<Response> {
      const client = clientBucket(peerAddress, request.headers.get("X-Forwarded-For"), config.trustedProxies);
      const response = await handle(request, {
        client,
        notes,
        hasSession: hasSession(request.headers.get("Cookie")),
      });
      // Any unsafe request may have queued a job, unless it failed on our side.
      if (!SAFE_METHODS.has(request.method) && response.status < 500) wakeWorkers();
      countView(request, response);
      return compress(response, request.headers.get("Accept-Encoding"));
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
    for (const warning of startWarnings(config)) log.warn(warning);
    await ensureSigningKey(app);
    for (const worker of workers) worker.start();
    await Promise.all([catalogue.start(), features.start()]);
    void sweeps.start();
    void views.start();
  }

  async function stop(): Promise<void> {
    isStopping = true;
    await Promise.all([
      ...workers.map((worker) => worker.stop()),
      catalogue.stop(),
      features.stop(),
      sweeps.stop(),
      views.stop(),
    ]);
    if (mailer.isOn) mailer.close();
  }

  /** Of a public page that was not answered from memory: what its query says is drawn into it. */
  function countView({ method, url, headers }: Request, { status }: Response): void {
    if (method !== "GET" || status !== 200) return;
    if (isAhead(headers.get("Sec-Purpose")) || isAhead(headers.get("Purpose"))) return;
    const [referrer, userAgent] = [
      headers.get("Referer") ?? undefined,
      headers.get("User-Agent") ?? undefined,
    ];
    views.count(new URL(url).pathname, { referrer, userAgent });
  }

  async function sweep(): Promise<void> {
    await sweepAll({ config, db, payments, log }, () => isStopping);
    wakeWorkers();
  }

  function wakeWorkers(): void {
    for (const worker of workers) worker.wake();
  }
}
