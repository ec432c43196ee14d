import Stripe from "stripe";
import type { PaymentsConfig } from "../config/config.server.ts";

/** Pinned: objects keep the shape this code was written for, whatever the account's default is. */
const API_VERSION = "2026-10-28.endive";
const TIMEOUT_MILLISECONDS = 10_000;

/** The payments store, or the reason there is none. */
export type Payments =
  | { isOn: true; stripe: Stripe; webhookSecret: string; checkoutOrigins: string[] }
  | { isOn: false; reason: string };

declare module "../http/context.server.ts" {
  interface App {
    payments: Payments;
  }
}

/** @param sandboxUrl where this process answers as Stripe when no keys are set */
export function connectPayments(config: PaymentsConfig, sandboxUrl: string): Payments {
  if (config.mode === "off") return { isOn: false, reason: config.reason };
  const isSandbox = config.mode === "sandbox";
  const stripe = new Stripe(config.secretKey, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MILLISECONDS,
    maxNetworkRetries: 2,
    telemetry: false,
    ...(isSandbox && { httpClient: Stripe.createFetchHttpClient(fetchFrom(sandboxUrl)) }),
  });
  return {
    isOn: true,
    stripe,
    webhookSecret: config.webhookSecret,
    checkoutOrigins: isSandbox ? [] : ["https://checkout.stripe.com"],
  };
}

/** Sends what is meant for Stripe's host to the sandbox instead, which lives below a path the SDK cannot be given. */
function fetchFrom(sandboxUrl: string): typeof fetch {
  return (input, init) => {
    const url = new URL(String(input));
    return fetch(sandboxUrl + url.pathname + url.search, init);
  };
}
