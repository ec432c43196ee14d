import Stripe from "stripe";
import type { PaymentsConfig } from "../config/config.server.ts";

/** Pinned, so that objects have the shape this code expects whatever the account's default version is. */
const API_VERSION = "2026-10-28.endive";
const TIMEOUT_MILLISECONDS = 10_000;

/** The Stripe client, or the reason why payments are off. */
export type Payments =
  | { isOn: true; stripe: Stripe; webhookSecret: string; checkoutOrigins: string[] }
  | { isOn: false; reason: string };

declare module "../http/context.server.ts" {
  interface App {
    payments: Payments;
  }
}

/** @param sandboxUrl base URL of the Stripe sandbox, used when no keys are set; `null` without one */
export function connectPayments(config: PaymentsConfig, sandboxUrl: string | null): Payments {
  if (config.mode === "off") return { isOn: false, reason: config.reason };
  const isSandbox = config.mode === "sandbox";
  if (isSandbox && !sandboxUrl) return { isOn: false, reason: "there is no sandbox" };
  const stripe = new Stripe(config.secretKey, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MILLISECONDS,
    maxNetworkRetries: 2,
    telemetry: false,
    ...(isSandbox && sandboxUrl && { httpClient: Stripe.createFetchHttpClient(sandboxFetch(sandboxUrl)) }),
  });
  return {
    isOn: true,
    stripe,
    webhookSecret: config.webhookSecret,
    checkoutOrigins: isSandbox ? [] : ["https://checkout.stripe.com", "https://billing.stripe.com"],
  };
}

/** Redirects requests to the sandbox, whose base URL has a path; the SDK accepts only a host. */
function sandboxFetch(sandboxUrl: string): typeof fetch {
  return (input, init) => {
    const url = new URL(String(input));
    return fetch(sandboxUrl + url.pathname + url.search, init);
  };
}
