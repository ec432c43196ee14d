import { setTimeout as sleep } from "node:timers/promises";
import Stripe from "stripe";

/** Asked now and then whether to end early. */
export type Stop = () => boolean;

/** Waits before the second, third … try, besides those of the SDK itself. */
const PAUSES_MILLISECONDS = [1_000, 3_000, 8_000];

/** Stripe does not answer at all: nothing is gained by asking on. */
export class TooManyFailures extends Error {
  static readonly LIMIT = 10;
}

/**
 * Asks Stripe again when it was too busy (429), away or too slow.
 *
 * @throws its last error, or at once any other
 */
export async function patiently<Answer>(ask: () => Promise<Answer>, stop: Stop): Promise<Answer> {
  for (const pause of PAUSES_MILLISECONDS) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || stop()) throw error;
      await sleep(pause * (0.5 + Math.random()));
    }
  }
  return ask();
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeRateLimitError ||
    error instanceof Stripe.errors.StripeConnectionError ||
    error instanceof Stripe.errors.StripeAPIError
  );
}
