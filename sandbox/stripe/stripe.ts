import type pg from "pg";
import { createBackgroundLoop } from "../background-loop.ts";
import { createSandboxSchema } from "../schema.ts";
import { answerApi } from "./api/api.ts";
import { StripeApiError } from "./api/errors.ts";
import { expireOverdueSessions } from "./checkout/expiry.ts";
import { handleHostedCheckout } from "./checkout/hosted-checkout.ts";
import { handleClockControl } from "./clocks/control.ts";
import { runOverdueMoments } from "./clocks/run-moments.ts";
import { handleHostedInvoice, handleReceipt } from "./invoices/hosted-invoice.ts";
import { handleControl } from "./knobs.ts";
import { handleDisputeControl } from "./payments/disputes.ts";
import { handleAuthentication } from "./payments/hosted-authentication.ts";
import { type Plan, seedPlans } from "./plans.ts";
import { handlePortal } from "./portal/portal.ts";
import { SCHEMA } from "./schema.ts";
import { inTransaction, type Site } from "./transaction.ts";
import { deliverDueEvents } from "./webhooks.ts";

interface StripeSandbox {
  /** Answers any request whose path starts with /sandbox/stripe. */
  handle(request: Request): Promise<Response>;
  /** Answers a request whose path starts with /v1 or /v2, as at api.stripe.com. */
  handleApi(request: Request): Promise<Response>;
  /** Starts what happens without a request: webhooks, renewals, expiries. Call it once the webhook can be reached. */
  start(): void;
  /** Stops that; resolves when the webhooks in progress have ended. Call it before the pool ends. */
  close(): Promise<void>;
}

interface Options {
  /** State is kept in its schema `sandbox_stripe`. */
  pool: pg.Pool;
  /** Where the buyer's browser finds the checkout pages: `http://localhost:3000` */
  publicOrigin: string;
  /** Where events are posted: `http://127.0.0.1:3000/webhooks/stripe` */
  webhookUrl: string;
  webhookSecret: string;
  /** The only API key that is accepted. */
  secretKey: string;
  /** What is on sale from the start. */
  plans: readonly Plan[];
  /** Aborted when the process is ending: no call is kept waiting from then on. */
  ending: AbortSignal;
  log: (message: string) => void;
}

const PREFIX = "/sandbox/stripe";
const API_PATH = /^\/v[12]\//;
/** The pages for people, by the first part of their path; each is given the rest. */
const HOSTED_PAGES = new Map<string, (request: Request, rest: string, site: Site) => Promise<Response>>([
  ["checkout", handleHostedCheckout],
  ["portal", handlePortal],
  ["invoice", handleHostedInvoice],
  ["receipt", handleReceipt],
  ["authenticate", handleAuthentication],
]);
/** How often it looks for events to deliver and periods that have ended. */
const PAUSE_MILLISECONDS = 1_000;

/**
 * A stand-in for Stripe that the official SDK and a browser can use: see README.md. Creates the tables and the plans
 * that are missing. Several processes may open it on one database, also at once.
 */
export async function openStripeSandbox(options: Options): Promise<StripeSandbox> {
  const { pool, log } = options;
  await inTransaction(options, null, async (tx) => {
    await createSandboxSchema(tx.client, SCHEMA);
    await seedPlans(tx, options.plans);
  });
  let isStopping = false;
  const background = createBackgroundLoop(work, {
    pauseMilliseconds: PAUSE_MILLISECONDS,
    onError: (error) => log(`Stripe sandbox: background work failed: ${String(error)}`),
  });
  return {
    handle: (request) => answer(request, pathOf(request).slice(PREFIX.length)),
    handleApi: (request) => answer(request, pathOf(request), API_PATH),
    start: background.start,
    close,
  };

  /** @param served which paths are served; all of them unless said otherwise */
  async function answer(request: Request, path: string, served = /^/): Promise<Response> {
    if (!served.test(path)) return new Response("Not found\n", { status: 404 });
    try {
      if (API_PATH.test(path)) return await answerApi(request, path, options);
      const [, pages = "", rest = ""] = /^\/([a-z]+)\/(.*)$/.exec(path) ?? [];
      const handlePage = HOSTED_PAGES.get(pages);
      if (handlePage) return await handlePage(request, rest, options);
      if (path === "/control/disputes") return await handleDisputeControl(request, options);
      if (path === "/control") return await handleControl(request, pool);
      if (path === "/control/clocks") return await handleClockControl(request, options);
      return new Response("Not found\n", { status: 404 });
    } catch (error) {
      if (!(error instanceof StripeApiError)) throw error;
      return new Response(error.toBody(), {
        status: error.status,
        headers: { "content-type": "application/json" },
      });
    } finally {
      if (request.method !== "GET") background.wake();
    }
  }

  async function work(): Promise<void> {
    await inTransaction(options, null, expireOverdueSessions);
    await runOverdueMoments(options, () => isStopping);
    await deliverDueEvents(options, () => isStopping);
  }

  async function close(): Promise<void> {
    isStopping = true;
    await background.stop();
  }
}

function pathOf(request: Request): string {
  return new URL(request.url).pathname;
}
