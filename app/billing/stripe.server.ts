import { sql } from "drizzle-orm";
import Stripe from "stripe";
import type { Config } from "../config/config.server.ts";
import type { PaymentsConfig } from "../config/service-config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { NO_TELEMETRY, type Telemetry } from "../telemetry/telemetry.ts";

/** Pinned, so that objects have the expected shape, whatever the account's default version. */
const API_VERSION = "2026-10-28.endive";
const TIMEOUT_MILLISECONDS = 10_000;

export type Payments =
  | { isOn: true; stripe: Stripe; webhookSecret: string; checkoutOrigins: string[] }
  | { isOn: false; reason: string };

declare module "../http/context.server.ts" {
  interface App {
    payments: Payments;
  }
}

export type BillingApp = Pick<App, "config" | "db" | "payments" | "log">;

/** What work at Stripe needs, while payments are on. */
export interface StripeApp {
  stripe: Stripe;
  db: Database;
  config: Pick<Config, "graceDays" | "site">;
}

export function connectPayments(
  config: PaymentsConfig,
  sandboxUrl: string | null,
  telemetry = NO_TELEMETRY,
): Payments {
  if (config.mode === "off") return { isOn: false, reason: config.reason };
  const isSandbox = config.mode === "sandbox";
  if (isSandbox && !sandboxUrl) return { isOn: false, reason: "there is no sandbox" };
  const stripe = new Stripe(config.secretKey, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MILLISECONDS,
    maxNetworkRetries: 2,
    telemetry: false,
    httpClient: watched(
      sandboxUrl && isSandbox ? httpClientBelow(sandboxUrl) : Stripe.createNodeHttpClient(),
      telemetry,
    ),
  });
  return {
    isOn: true,
    stripe,
    webhookSecret: config.webhookSecret,
    checkoutOrigins: isSandbox ? [] : ["https://checkout.stripe.com", "https://billing.stripe.com"],
  };
}

/** For a command: a sandbox is in the server that runs on PORT. */
export function connectPaymentsOfServer({ payments, port }: Pick<Config, "payments" | "port">): Payments {
  return connectPayments(payments, `http://127.0.0.1:${port}/sandbox/stripe`);
}

/** The sandbox's base URL has a path, which the SDK's options do not allow. */
function httpClientBelow(sandboxUrl: string): Stripe.HttpClient {
  const { hostname, port, pathname } = new URL(sandboxUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const client = Stripe.createNodeHttpClient();
  const makeRequest: typeof client.makeRequest = (...call) => {
    const [, , path, method, headers, data, , timeout] = call;
    return client.makeRequest(host, port, pathname + path, method, headers, data, "http", timeout);
  };
  return { getClientName: () => client.getClientName(), makeRequest };
}

/** Counts and times each call, and the SDK's own retries. */
function watched(client: Stripe.HttpClient, { meters, tracer }: Telemetry): Stripe.HttpClient {
  const makeRequest: typeof client.makeRequest = async (...call) => {
    const [, , path, method] = call;
    const startedAt = performance.now();
    const end = tracer.step(`stripe ${method}`, {
      "http.request.method": method,
      "url.template": templateOf(path),
    });
    try {
      const response = await client.makeRequest(...call);
      const status = response.getStatusCode();
      count(OUTCOMES[Math.floor(status / 100)] ?? "error");
      end(status >= 400 ? status : undefined);
      return response;
    } catch (error) {
      count("error");
      end(error);
      throw error;
    }

    function count(outcome: (typeof OUTCOMES)[number]): void {
      meters.record("stripe_requests_total", { outcome });
      meters.record("stripe_request_duration_seconds", {}, (performance.now() - startedAt) / 1000);
    }
  };
  return { getClientName: () => client.getClientName(), makeRequest };
}

/** By the first digit of the status. */
const OUTCOMES = ["error", "error", "2xx", "3xx", "4xx", "5xx"] as const;

function templateOf(path: string): string {
  return (
    path
      .split("?", 1)[0]
      ?.replaceAll(/\/[^/]*[_\d][^/]*(?=\/|$)/g, (part) =>
        /^\/v\d$|^\/[a-z_]+$/.test(part) ? part : "/{id}",
      ) ?? ""
  );
}

/** Keys that are tried for a call: after as many saved failures, Stripe is away. */
const MAX_KEYS = 6;

/**
 * Calls Stripe with a key, and with the next one when it repeats a saved failure: it keeps a 500 for a day
 * (https://docs.stripe.com/api/idempotent_requests). All callers use the same keys in order, so they get one answer.
 */
export async function withIdempotencyKey<Answer>(
  key: string,
  call: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(attempt === 1 ? key : `${key}-${attempt}`);
    } catch (error) {
      if (attempt === MAX_KEYS || !isSavedFailure(error)) throw error;
    }
  }
}

/** Stripe repeats such a failure under its key for a day. */
export function isSavedFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return (error.statusCode ?? 0) >= 500 && error.headers?.["idempotent-replayed"] === "true";
}

/** Deleted, or created with another account's keys. */
export function isMissing(error: unknown, param?: string): boolean {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.code !== "resource_missing")
    return false;
  return param === undefined || error.param === param;
}

export function nullIfMissing<Found>(call: Promise<Found>): Promise<Found | null> {
  return call.catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return null;
  });
}

export function stripeIdOf(reference: string | { id: string } | null | undefined): string | null {
  return typeof reference === "string" ? reference : (reference?.id ?? null);
}

/** Whether Stripe will reject the same request every time. A key in use by a concurrent request can be retried. */
export function isInvalidRequest(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeError && error.code === "idempotency_key_in_use") return false;
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeIdempotencyError
  );
}

/** As `isInvalidRequest`, or a declined card. */
export function isRefusal(error: unknown): boolean {
  return isInvalidRequest(error) || error instanceof Stripe.errors.StripeCardError;
}

/** The SDK tells a timeout from other connection errors only in the message. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeConnectionError && /timed? ?out|aborted/i.test(error.message);
}

/** An answer with a lower ticket than the stored one is discarded. */
export async function drawSyncTicket(db: Queryable): Promise<bigint> {
  const { rows } = await db.execute<{ ticket: string }>(sql`SELECT nextval('sync_ticket') AS ticket`);
  return BigInt(rows[0]?.ticket ?? 0);
}
