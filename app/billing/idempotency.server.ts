import Stripe from "stripe";

/** More saved failures in a row than this mean that Stripe is away. */
const MAX_KEYS = 6;

/**
 * Calls Stripe with an idempotency key, and with the next key of the same row of keys when Stripe repeats a failure that it
 * saved under one: it keeps a 500 for a day, as it keeps any other answer, and no retry could ever get past it
 * (https://docs.stripe.com/api/idempotent_requests). Whoever else makes this call goes through the same keys in the same order,
 * so they all end with one answer.
 *
 * @throws Stripe's errors
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

/** Whether this is a failure of Stripe's own that it saved under the key, and will repeat for a day. */
export function isSavedFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return (error.statusCode ?? 0) >= 500 && error.headers?.["idempotent-replayed"] === "true";
}
