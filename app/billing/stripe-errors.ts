import Stripe from "stripe";

/** Whether Stripe says that there is no such thing: deleted, or made with the keys of another account. */
export function isMissing(error: unknown, param?: string): boolean {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.code !== "resource_missing")
    return false;
  return param === undefined || error.param === param;
}

/** Whether Stripe understood the call and will never grant it as it stands. A twin that is still at work is no refusal. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeError && error.code === "idempotency_key_in_use") return false;
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeIdempotencyError
  );
}

/** Whether Stripe took longer than we wait. The SDK tells it in the message only. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeConnectionError && /timed? ?out|aborted/i.test(error.message);
}
