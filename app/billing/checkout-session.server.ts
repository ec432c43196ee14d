import type Stripe from "stripe";
import type { CheckoutAttempt } from "./schema.ts";
import { isInvalidRequest, isMissing } from "./stripe-errors.server.ts";

/** Stripe keeps idempotency keys for a day; an hour less allows for clock skew. */
const KEY_LIFETIME_MILLISECONDS = 23 * 60 * 60 * 1000;

/**
 * Creates the Stripe session of an attempt. The attempt's id is the idempotency key, so a second call returns the same
 * session for as long as `isKeyAlive`. Its subscription carries the id in `metadata.checkout_attempt`.
 *
 * @param promise what is said beside the button that pays
 * @throws Stripe's errors
 */
export function createSession(
  stripe: Stripe,
  attempt: CheckoutAttempt,
  customer: string,
  promise: string,
): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.create(
    {
      mode: "subscription",
      customer,
      client_reference_id: attempt.userId,
      line_items: [{ price: attempt.priceId, quantity: 1 }],
      success_url: attempt.successUrl,
      cancel_url: attempt.cancelUrl,
      // Shown beside Stripe's button; at most 1200 characters. Not in the attempt's row: once a feature opens, or a new version
      // of the site says it in other words, Stripe refuses the key of an attempt without a session, which closes it, and the next press works.
      custom_text: { submit: { message: promise } },
      subscription_data: { metadata: { checkout_attempt: attempt.id } },
    },
    { idempotencyKey: attempt.id },
  );
}

/** Whether Stripe still has the idempotency key of an attempt. */
export function isKeyAlive({ createdAt }: CheckoutAttempt): boolean {
  return Date.now() - createdAt.getTime() < KEY_LIFETIME_MILLISECONDS;
}

/**
 * Expires a session, so that it can no longer be paid.
 *
 * @returns the session when it has been paid already, otherwise `null`: it is expired or missing
 * @throws Stripe's errors when it cannot be reached
 */
export async function expireSession(
  stripe: Stripe,
  sessionId: string,
): Promise<Stripe.Checkout.Session | null> {
  try {
    await stripe.checkout.sessions.expire(sessionId);
    return null;
  } catch (error) {
    // Stripe rejects expiring a session that is no longer open, and does not find one of another account.
    if (!isInvalidRequest(error)) throw error;
    const session = await retrieveSession(stripe, sessionId);
    return session?.status === "complete" ? session : null;
  }
}

/** The session, or `null` when Stripe has none with this id. */
export async function retrieveSession(
  stripe: Stripe,
  sessionId: string,
): Promise<Stripe.Checkout.Session | null> {
  return stripe.checkout.sessions.retrieve(sessionId).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}
