import { and, eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { Database } from "../db/client.server.ts";
import { checkoutAttempts } from "../db/schema.ts";
import { isMissing, isRefusal } from "./stripe-errors.ts";

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
 * @returns `replaced` when the attempt was closed meanwhile, by a newer wish or because it was paid; `null` when
 *   Stripe has the session no longer
 * @throws Stripe's errors; a refusal closes the attempt first, because its key would repeat it for a day
 */
export async function sessionOfAttempt(
  stripe: Stripe,
  db: Database,
  attempt: CheckoutAttempt,
  customer: string,
): Promise<Stripe.Checkout.Session | "replaced" | null> {
  if (attempt.sessionId) return retrieveSession(stripe, attempt.sessionId);
  const session = await createSession(stripe, attempt, customer).catch(async (error: unknown) => {
    if (isRefusal(error)) await markClosed(db, attempt);
    throw error;
  });
  const [kept] = await db
    .update(checkoutAttempts)
    .set({ sessionId: session.id })
    .where(and(eq(checkoutAttempts.id, attempt.id), eq(checkoutAttempts.status, "open")))
    .returning();
  return kept ? session : "replaced";
}

function createSession(
  stripe: Stripe,
  attempt: CheckoutAttempt,
  customer: string,
): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.create(
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
}

/**
 * Makes sure that nobody can pay on the user's open attempt any more.
 *
 * @param keepPaid leave an attempt open that turns out to be paid, until its subscription is known here
 * @returns whether it was paid
 */
export async function closeOpenAttempt(
  stripe: Stripe,
  db: Database,
  userId: string,
  { keepPaid }: { keepPaid: boolean },
): Promise<boolean> {
  for (;;) {
    const attempt = await findOpenAttempt(db, userId);
    if (!attempt) return false;
    const isPaid =
      attempt.sessionId !== null && (await expireSession(stripe, attempt.sessionId)) === "complete";
    if (isPaid && keepPaid) return true;
    if (await markClosed(db, attempt)) return isPaid;
    // A session was written to it after we looked: look again, so that this one is expired too.
  }
}

/** Closes an attempt as it was seen. @returns false when it has changed since */
async function markClosed(db: Database, attempt: CheckoutAttempt): Promise<boolean> {
  const closed = await db
    .update(checkoutAttempts)
    .set({ status: "closed" })
    .where(
      and(
        eq(checkoutAttempts.id, attempt.id),
        eq(checkoutAttempts.status, "open"),
        sql`${checkoutAttempts.sessionId} IS NOT DISTINCT FROM ${attempt.sessionId}`,
      ),
    )
    .returning();
  return closed.length > 0;
}

/** @returns what the session ended as: `complete` when it was paid before we came */
async function expireSession(stripe: Stripe, sessionId: string): Promise<"expired" | "complete"> {
  try {
    await stripe.checkout.sessions.expire(sessionId);
    return "expired";
  } catch (error) {
    // Stripe refuses to expire a session that is over already, and cannot find one of another account.
    if (!isRefusal(error)) throw error;
    const session = await retrieveSession(stripe, sessionId);
    return session?.status === "complete" ? "complete" : "expired";
  }
}

/** A session, or `null` when Stripe has none by that id. */
export async function retrieveSession(
  stripe: Stripe,
  sessionId: string,
): Promise<Stripe.Checkout.Session | null> {
  return stripe.checkout.sessions.retrieve(sessionId).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}
