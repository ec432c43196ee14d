import Stripe from "stripe";

/** Whether Stripe has no such object: deleted, or created with the keys of another account. */
export function isMissing(error: unknown, param?: string): boolean {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.code !== "resource_missing")
    return false;
  return param === undefined || error.param === param;
}

/** Whether Stripe will reject the same request every time. A key in use by a concurrent request can be retried. */
export function isInvalidRequest(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeError && error.code === "idempotency_key_in_use") return false;
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeIdempotencyError
  );
}

/** Whether Stripe will answer the same every time; a declined card is such an answer, too. */
export function isRefusal(error: unknown): boolean {
  return isInvalidRequest(error) || error instanceof Stripe.errors.StripeCardError;
}

/** Whether the request timed out. The SDK says so in the message only. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeConnectionError && /timed? ?out|aborted/i.test(error.message);
}
