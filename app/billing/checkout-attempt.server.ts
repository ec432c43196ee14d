import { and, eq } from "drizzle-orm";
import Stripe from "stripe";
import type { Database } from "../db/client.server.ts";
import { checkoutAttempts } from "../db/schema.ts";

export type CheckoutAttempt = typeof checkoutAttempts.$inferSelect;

/** The user's one payable attempt, or `null`. */
export async function findOpenAttempt(db: Database, userId: string): Promise<CheckoutAttempt | null> {
  const [attempt] = await db
    .select()
    .from(checkoutAttempts)
    .where(and(eq(checkoutAttempts.userId, userId), eq(checkoutAttempts.status, "open")));
  return attempt ?? null;
}

/**
 * The Stripe session of an attempt, created when there is none yet. The attempt's id is the idempotency key and
 * its row holds every parameter, so after a crash or beside a twin the same call finds the same session.
 *
 * @returns `null` when the attempt was closed meanwhile: its session must not be shown to anybody
 */
export async function sessionOfAttempt(
  stripe: Stripe,
  db: Database,
  attempt: CheckoutAttempt,
  customer: string,
): Promise<Stripe.Checkout.Session | null> {
  if (attempt.sessionId) return stripe.checkout.sessions.retrieve(attempt.sessionId);
  const session = await stripe.checkout.sessions.create(
    {
      mode: "subscription",
      customer,
      client_reference_id: attempt.userId,
      line_items: [{ price: attempt.priceId, quantity: 1 }],
      success_url: attempt.successUrl,
      cancel_url: attempt.cancelUrl,
    },
    { idempotencyKey: attempt.id },
  );
  const [kept] = await db
    .update(checkoutAttempts)
    .set({ sessionId: session.id })
    .where(and(eq(checkoutAttempts.id, attempt.id), eq(checkoutAttempts.status, "open")))
    .returning();
  return kept ? session : null;
}

/** Makes sure that nobody can pay on the user's open attempt any more. */
export async function closeOpenAttempt(stripe: Stripe, db: Database, userId: string): Promise<void> {
  const attempt = await findOpenAttempt(db, userId);
  if (!attempt) return;
  if (attempt.sessionId) await expireSession(stripe, attempt.sessionId);
  await markClosed(db, attempt);
}

/** @returns whether this call is the one that closed it */
export async function markClosed(db: Database, attempt: CheckoutAttempt): Promise<boolean> {
  const closed = await db
    .update(checkoutAttempts)
    .set({ status: "closed" })
    .where(and(eq(checkoutAttempts.id, attempt.id), eq(checkoutAttempts.status, "open")))
    .returning();
  return closed.length > 0;
}

/** @returns what the session ended as: `expired`, or `complete` when it was paid before we came */
export async function expireSession(
  stripe: Stripe,
  sessionId: string,
): Promise<Stripe.Checkout.Session["status"]> {
  try {
    return (await stripe.checkout.sessions.expire(sessionId)).status;
  } catch (error) {
    // Stripe refuses to expire a session that is complete or expired already.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    return (await stripe.checkout.sessions.retrieve(sessionId)).status;
  }
}
