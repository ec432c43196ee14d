import { and, eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { Database, Queryable } from "../db/client.server.ts";
import { findCustomer } from "./customer.server.ts";
import { checkoutAttempts, stripeSubscriptions } from "./schema.ts";
import { isMissing, isRefusal } from "./stripe-errors.ts";

export type CheckoutAttempt = typeof checkoutAttempts.$inferSelect;

/** Stripe forgets idempotency keys after a day; an hour less, for clocks that differ. */
const KEY_LIFE_MILLISECONDS = 23 * 60 * 60 * 1000;

/** The user's one payable attempt, or `null`. */
export async function findOpenAttempt(db: Queryable, userId: string): Promise<CheckoutAttempt | null> {
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
 * @returns `replaced` when the attempt was closed meanwhile, by a newer wish or because it was paid: nobody is shown
 *   the session then, so it is ended; `null` when Stripe has the session no longer
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
    if (isRefusal(error)) await markClosed(db, attempt, "nothing to pay on");
    throw error;
  });
  const [kept] = await db
    .update(checkoutAttempts)
    .set({ sessionId: session.id })
    .where(and(eq(checkoutAttempts.id, attempt.id), eq(checkoutAttempts.status, "open")))
    .returning();
  if (kept) return session;
  // Should this fail, or the process end before it, the sweep finds the session by its key: see attempt-checks.server.ts.
  await expireSession(stripe, session.id).then(
    () => markSettled(db, attempt.id),
    () => {},
  );
  return "replaced";
}

/**
 * Ends the session Stripe may have made for a closed attempt that does not know it: the request that asked for it was
 * killed, or could not end it itself. The idempotency key finds it; where there was none, one is made and ended.
 *
 * @throws Stripe's errors when it cannot be reached
 */
export async function expireUnwrittenSession(
  stripe: Stripe,
  db: Database,
  attempt: CheckoutAttempt,
): Promise<void> {
  const customer = await findCustomer(db, attempt.userId);
  if (customer && isKeyAlive(attempt)) {
    const session = await createSession(stripe, attempt, customer).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      return null;
    });
    if (session) await expireSession(stripe, session.id);
  }
  await markSettled(db, attempt.id);
}

/** Whether an attempt is young enough for its idempotency key to find what it made. */
export function isKeyAlive({ createdAt }: CheckoutAttempt): boolean {
  return Date.now() - createdAt.getTime() < KEY_LIFE_MILLISECONDS;
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
 * Makes sure that nobody can pay on an attempt any more.
 *
 * @returns `closed`; or `paid`, and then it stays open, because it has been paid and its subscription is not known
 *   here yet: until it is, the attempt stands between the user and paying twice
 */
export async function closeAttempt(stripe: Stripe, db: Database, id: string): Promise<"closed" | "paid"> {
  for (;;) {
    const [attempt] = await db.select().from(checkoutAttempts).where(eq(checkoutAttempts.id, id));
    if (attempt?.status !== "open") return "closed";
    const paid = attempt.sessionId ? await expireSession(stripe, attempt.sessionId) : null;
    if (paid && !(await isSubscriptionKnown(db, paid))) return "paid";
    const left = attempt.sessionId ? "nothing to pay on" : "maybe a session";
    if (await markClosed(db, attempt, left)) return "closed";
    // A session was written to it after we looked: look again, so that this one is expired too.
  }
}

/** Asks, in the caller's own transaction, for a user's page to pay on to be closed, if one is open. */
export async function enqueueAttemptClosing(tx: Queryable, userId: string): Promise<void> {
  await tx.execute(sql`
    INSERT INTO outbox (kind, payload)
    SELECT 'close_attempt', jsonb_build_object('attemptId', id)
    FROM checkout_attempts WHERE user_id = ${userId} AND status = 'open'`);
}

/** Whether the subscription a session was paid for has been written here, whatever has become of it since. */
export async function isSubscriptionKnown(
  db: Queryable,
  { subscription }: Stripe.Checkout.Session,
): Promise<boolean> {
  const id = typeof subscription === "string" ? subscription : (subscription?.id ?? "");
  const [known] = await db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.id, id));
  return known !== undefined;
}

/**
 * Closes an attempt as it was seen.
 *
 * @param left whether a session may exist that was never written to it; the sweep asks for that once more
 * @returns false when it has changed since
 */
async function markClosed(
  db: Database,
  attempt: CheckoutAttempt,
  left: "nothing to pay on" | "maybe a session",
): Promise<boolean> {
  const checkAt = left === "maybe a session" ? sql`now() + interval '1 minute'` : null;
  const closed = await db
    .update(checkoutAttempts)
    .set({ status: "closed", checkAt })
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

/** Notes that nothing of a closed attempt can be paid any more. */
async function markSettled(db: Database, id: string): Promise<void> {
  await db
    .update(checkoutAttempts)
    .set({ checkAt: null })
    .where(and(eq(checkoutAttempts.id, id), eq(checkoutAttempts.status, "closed")));
}

/** @returns the session when it was paid before we came, otherwise `null`: it is over or gone */
async function expireSession(stripe: Stripe, sessionId: string): Promise<Stripe.Checkout.Session | null> {
  try {
    await stripe.checkout.sessions.expire(sessionId);
    return null;
  } catch (error) {
    // Stripe refuses to expire a session that is over already, and cannot find one of another account.
    if (!isRefusal(error)) throw error;
    const session = await retrieveSession(stripe, sessionId);
    return session?.status === "complete" ? session : null;
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
