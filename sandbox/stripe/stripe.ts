import type pg from "pg";
import { handleApi } from "./api/api.ts";
import { StripeApiError } from "./api/errors.ts";
import { createBackgroundLoop } from "./background-loop.ts";
import { expireOverdueSessions } from "./checkout/expiry.ts";
import { handleHostedCheckout } from "./checkout/hosted-checkout.ts";
import { handleControl } from "./control.ts";
import { renewDueSubscriptions } from "./objects/renewals.ts";
import { createSchema } from "./schema.ts";
import { seedPlans } from "./seed.ts";
import { inTransaction, type Transaction } from "./transaction.ts";
import { deliverDueEvents } from "./webhooks.ts";

export interface StripeSandbox {
  /** Answers any request whose path starts with /sandbox/stripe. */
  handle(request: Request): Promise<Response>;
  /**
   * Creates the tables and the plans that are missing, and starts the webhooks.
   * Safe to run at any time, by several processes at once.
   */
  prepare(): Promise<void>;
  /** Stops the webhooks; resolves when those under way have ended. Call it before the pool ends. */
  close(): Promise<void>;
}

interface Options {
  /** State lives in its schema `sandbox_stripe`. */
  pool: pg.Pool;
  /** Where the buyer's browser finds the checkout pages: `http://localhost:3000` */
  publicOrigin: string;
  /** Where events are posted: `http://127.0.0.1:3000/webhooks/stripe` */
  webhookUrl: string;
  webhookSecret: string;
  /** The only API key that is accepted. */
  secretKey: string;
  log?: (message: string) => void;
}

const prefix = "/sandbox/stripe";

/** A stand-in for Stripe that the official SDK and a browser can use: see README.md. */
export function createStripeSandbox({ log = () => {}, ...options }: Options): StripeSandbox {
  const { pool } = options;
  const background = createBackgroundLoop(
    async (stopped) => {
      await inTransaction(pool, null, letTimePass);
      await deliverDueEvents({ ...options, log }, stopped);
    },
    (error) => log(`Stripe sandbox: background work failed: ${String(error)}`),
  );

  async function handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.slice(prefix.length);
    try {
      if (path.startsWith("/v1/")) return await handleApi(request, path, { ...options, log });
      if (path.startsWith("/checkout/")) {
        return await handleHostedCheckout(request, path.slice("/checkout/".length), pool);
      }
      if (path === "/control") return await handleControl(request, pool);
      return new Response("Not found\n", { status: 404 });
    } catch (error) {
      if (!(error instanceof StripeApiError)) throw error;
      return new Response(error.toBody(), {
        status: error.status,
        headers: { "content-type": "application/json" },
      });
    } finally {
      if (request.method !== "GET") background.kick();
    }
  }

  async function prepare(): Promise<void> {
    await inTransaction(pool, null, async (tx) => {
      await createSchema(tx);
      await seedPlans(tx);
    });
    background.start();
  }

  return { handle, prepare, close: background.close };
}

/** What happens at Stripe without anybody's request. */
async function letTimePass(tx: Transaction): Promise<void> {
  await expireOverdueSessions(tx);
  await renewDueSubscriptions(tx);
}
