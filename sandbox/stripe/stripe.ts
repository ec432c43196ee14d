import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { refuseForeign, type SandboxOptions } from "../sandbox.ts";
import { createSandboxSchema } from "../schema.ts";
import { orUnavailable } from "../unavailable.ts";
import { answerApi } from "./api/api.ts";
import { StripeApiError } from "./api/errors.ts";
import { seedPlans } from "./catalogue.ts";
import { expireOverdueSessions } from "./checkout/sessions.ts";
import { handleClockControl } from "./clocks/clocks.ts";
import { runOverdueMoments } from "./clocks/moments.ts";
import { deliverDueEvents } from "./events.ts";
import { handleControl } from "./faults.ts";
import { answerPage } from "./hosted/hosted.ts";
import { handleDisputeControl } from "./payments/disputes.ts";
import { handleRefundControl } from "./payments/refunds.ts";
import { SCHEMA } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

type Options = Pick<SandboxOptions, "pool" | "publicOrigin" | "ending" | "log"> &
  Omit<NonNullable<SandboxOptions["stripe"]>, "port">;

const PREFIX = "/sandbox/stripe";
const API_PATH = /^\/v[12]\//;
/** How often it looks for events to deliver and periods that have ended. */
const PAUSE_MILLISECONDS = 1_000;

/**
 * A stand-in for Stripe that the official SDK and a browser can use: see README.md. Creates the tables and the plans
 * that are missing. Several processes may open it on one database, also at once.
 */
export async function openStripeSandbox(options: Options) {
  const { pool, log } = options;
  await inTransaction(options, null, async (tx) => {
    await createSandboxSchema(tx.client, SCHEMA);
    await seedPlans(tx, options.plans);
  });
  let isStopping = false;
  let woken = Promise.withResolvers<void>();
  let working: Promise<void> | undefined;
  return {
    /** Answers any request whose path starts with /sandbox/stripe. */
    handle: (request: Request) => answer(request, pathOf(request).slice(PREFIX.length)),
    /** Answers a request whose path starts with /v1 or /v2, as at api.stripe.com. */
    handleApi: (request: Request) => answer(request, pathOf(request), API_PATH),
    /** Starts what happens without a request: webhooks, renewals, expiries. Call it once the webhook can be reached. */
    start() {
      working = workUntilStopped();
    },
    /** Stops that; resolves when the webhooks in progress have ended. Call it before the pool ends. */
    async close() {
      isStopping = true;
      woken.resolve();
      await working;
    },
  };

  /** @param served which paths are served; all of them unless said otherwise */
  async function answer(request: Request, path: string, served = /^/): Promise<Response> {
    if (!served.test(path)) return new Response("Not found\n", { status: 404 });
    try {
      if (API_PATH.test(path)) return await answerApi(request, path, options);
      if (path === "/control") return await handleControl(pool, request);
      if (path === "/control/clocks") return await handleClockControl(request, options);
      if (path === "/control/disputes") return await handleDisputeControl(request, options);
      if (path === "/control/refunds") return await handleRefundControl(request, options);
      return await answerPage(request, path.slice(1), options);
    } catch (error) {
      if (!(error instanceof StripeApiError)) throw error;
      return new Response(error.toBody(), {
        status: error.status,
        headers: { "content-type": "application/json" },
      });
    } finally {
      if (request.method !== "GET") woken.resolve();
    }
  }

  /** With a pause after each run, which a request cuts short. */
  async function workUntilStopped(): Promise<void> {
    while (!isStopping) {
      woken = Promise.withResolvers();
      await work().catch((error) => log(`Stripe sandbox: background work failed: ${String(error)}`));
      await Promise.race([woken.promise, sleep(PAUSE_MILLISECONDS, undefined, { ref: false })]);
    }
  }

  async function work(): Promise<void> {
    await inTransaction(options, null, expireOverdueSessions);
    await runOverdueMoments(options, () => isStopping);
    await deliverDueEvents(options, () => isStopping);
  }
}

function pathOf(request: Request): string {
  return new URL(request.url).pathname;
}

/**
 * Stripe's API on a port of its own, for the SDK's options `host`, `port` and `protocol`, which allow no path. Listens on
 * loopback and nowhere else.
 *
 * @param options.port 0: any. When it is in use: any, too, so that it keeps no site from starting
 * @returns `http://127.0.0.1:3001`, and what ends it at once, with what is in progress
 */
export async function openOwnPort(options: {
  port: number;
  handleApi(request: Request): Promise<Response>;
  log: (message: string) => void;
}): Promise<{ origin: string; close(): Promise<void> }> {
  const { port, handleApi, log } = options;
  const answer = async (request: Request) =>
    refuseForeign(request, []) ?? orUnavailable(() => handleApi(request));
  const server = createServer(
    { keepAliveTimeout: 65_000 },
    // Simulated faults are not logged: see faults.ts.
    createRequestListener(answer, { onError: () => undefined }),
  );
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    // In use, or not permitted to this user, as below 1024.
    if (!(error instanceof Error && "code" in error && /^(EADDRINUSE|EACCES)$/.test(String(error.code))))
      throw error;
    await once(server.listen(0, "127.0.0.1"), "listening");
  }
  server.on("error", (error) => log(`Stripe sandbox: the socket of its API failed: ${String(error)}`));
  const { port: open } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${open}`,
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
