import Stripe from "stripe";
import type { Payments } from "../billing/stripe.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Finding } from "./finding.ts";

type Found = Omit<Finding, "check">[];

/** A look, not work: one try, and soon. */
const ONCE = { timeout: 7_000, maxNetworkRetries: 0 };
const MOST_ENDPOINTS = 100;

/** What Stripe said, besides what is reported of it. */
export interface StripeAnswer {
  found: Found;
  /** By how many seconds Stripe's clock is ahead of ours; `null`: it gave no answer. */
  clock: number | null;
}

/** Asks Stripe for something every key of ours may read: whether it is there, and takes the key. */
export async function askStripe(payments: Payments, isSandbox: boolean): Promise<StripeAnswer> {
  if (!payments.isOn) return { found: [], clock: null };
  try {
    const before = Date.now();
    const { lastResponse } = await payments.stripe.products.list({ limit: 1 }, ONCE);
    const date = Date.parse(lastResponse.headers.date ?? "");
    // The header leaves out what is less than a second.
    const clock = Number.isNaN(date) ? null : (date + 500 - (before + Date.now()) / 2) / 1000;
    const says = isSandbox ? "the sandbox answers" : "Stripe answers, and takes the key";
    return { found: [{ level: "ok", says }], clock };
  } catch (error) {
    return { found: [isSandbox ? SANDBOX_AWAY : describeStripeError(error)], clock: null };
  }
}

const SANDBOX_AWAY: Found[number] = {
  level: "fail",
  says: "the payments sandbox does not answer",
  advice:
    "it runs within the site: is that running, at this PORT? /sandbox/stripe/control says what is switched off",
};

function describeStripeError(error: unknown): Found[number] {
  if (error instanceof Stripe.errors.StripeAuthenticationError)
    return {
      level: "fail",
      says: "Stripe does not know the key: it was revoked, or is not complete",
      advice: "set STRIPE_SECRET_KEY anew, from Stripe’s dashboard, Developers → API keys",
    };
  if (error instanceof Stripe.errors.StripePermissionError)
    return {
      level: "fail",
      says: "the key may not read products, so it lacks other permissions as well",
      advice: "docs/stripe.md lists what it needs",
    };
  const code = error instanceof Stripe.errors.StripeError ? (error.statusCode ?? error.type) : "unknown";
  return {
    level: "fail",
    says: `Stripe does not answer (${code}): nobody can pay now, and what was paid is known later`,
    advice: "status.stripe.com; the site goes on by itself when Stripe does",
  };
}

/** Whether Stripe is told to send its events to us. */
export async function checkEndpoint(
  payments: Payments,
  { publicOrigin, payments: { mode } }: Pick<Config, "publicOrigin" | "payments">,
): Promise<Found> {
  if (!payments.isOn || mode === "sandbox") return [];
  const wanted = `${publicOrigin}/webhooks/stripe`;
  try {
    const { data } = await payments.stripe.webhookEndpoints.list({ limit: MOST_ENDPOINTS }, ONCE);
    const ours = data.find(({ url }) => url === wanted);
    if (!ours)
      return [
        {
          level: "fail",
          says: `Stripe sends its events not to ${wanted}`,
          advice: "register it, see docs/stripe.md, part 4, and set STRIPE_WEBHOOK_SECRET to what it gives",
        },
      ];
    if (ours.status !== "enabled")
      return [
        {
          level: "fail",
          says: `Stripe’s endpoint for ${wanted} is ${ours.status}`,
          advice: "enable it in Stripe’s dashboard, Developers → Webhooks",
        },
      ];
    return [{ level: "ok", says: `registered at Stripe: ${wanted}` }];
  } catch (error) {
    const mayNot = error instanceof Stripe.errors.StripePermissionError;
    // That Stripe is away is said once, by askStripe.
    return mayNot
      ? [{ level: "ok", says: "the key may not read Stripe’s list of endpoints; look there yourself" }]
      : [];
  }
}

/**
 * The events of the last day that Stripe could not deliver, to us or to others.
 *
 * @param settledSeconds how old an event is before it should have arrived
 * @returns `null` when Stripe does not say
 */
export async function listUndelivered(payments: Payments, settledSeconds: number): Promise<string[] | null> {
  if (!payments.isOn) return null;
  const now = Math.floor(Date.now() / 1000);
  try {
    const { data } = await payments.stripe.events.list(
      {
        delivery_success: false,
        created: { gte: now - 24 * 60 * 60, lte: now - settledSeconds },
        limit: 100,
      },
      ONCE,
    );
    return data.map(({ id }) => id);
  } catch {
    return null;
  }
}
