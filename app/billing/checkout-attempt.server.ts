import { and, eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { Database, Queryable } from "../db/client.server.ts";
import { loadFeatureStates } from "../entitlements/features.server.ts";
import { buyingEarly } from "../entitlements/features.ts";
import { findCustomer } from "./customer.server.ts";
import { findConsent, linkConsent } from "./plan/consent.server.ts";
import { type CheckoutAttempt, checkoutAttempts, prices, products, stripeSubscriptions } from "./schema.ts";
import { isInvalidRequest, isMissing, isSavedFailure } from "./stripe.server.ts";

/** The user's one payable attempt, or `null`. */
export async function findOpenAttempt(db: Queryable, userId: string): Promise<CheckoutAttempt | null> {
  const [attempt] = await db
    .select()
    .from(checkoutAttempts)
    .where(and(eq(checkoutAttempts.userId, userId), eq(checkoutAttempts.status, "open")));
  return attempt ?? null;
}

/**
 * The Stripe session of an attempt, created if it does not exist yet. The attempt's id is the idempotency key and its
 * row and its consent hold every parameter but the refund promise, so a retry after a crash or a concurrent request gets the same session. A
 * retry after the promise was reworded is an invalid request: the attempt closes, and the next press opens another.
 *
 * @returns `replaced` when the attempt was closed in the meantime, by a newer request or because it was paid: the
 *   session is then expired, as no user will see it; `null` when Stripe no longer has the session
 * @throws Stripe's errors; an invalid request, or a failure that Stripe saved, closes the attempt first
 */
export async function createOrRetrieveSession(
  stripe: Stripe,
  db: Database,
  attempt: CheckoutAttempt,
  customer: string,
): Promise<Stripe.Checkout.Session | "replaced" | null> {
  if (attempt.sessionId) return retrieveSession(stripe, attempt.sessionId);
  const promise = await promiseFor(db, attempt);
  const session = await createSession(stripe, attempt, customer, promise).catch(async (error: unknown) => {
    // The key would repeat either for a day, and what Stripe may have made with it has a URL nobody knows.
    if (isInvalidRequest(error) || isSavedFailure(error))
      await markClosed(db, attempt, { needsCheck: false });
    throw error;
  });
  const [kept] = await db
    .update(checkoutAttempts)
    .set({ sessionId: session.id })
    .where(and(eq(checkoutAttempts.id, attempt.id), eq(checkoutAttempts.status, "open")))
    .returning();
  if (kept) return session;
  // If this fails, or the process exits first, the sweep finds the session by its key: see attempt-checks.server.ts.
  await expireSession(stripe, session.id).then(
    () => markSettled(db, attempt.id),
    () => {},
  );
  return "replaced";
}

/**
 * Expires the session Stripe may have created for a closed attempt without its id being recorded here: the request was
 * killed, or failed to expire it. The idempotency key retrieves it; if there was none, one is created and expired.
 *
 * @throws Stripe's errors when it cannot be reached
 */
export async function expireUnrecordedSession(
  stripe: Stripe,
  db: Database,
  attempt: CheckoutAttempt,
): Promise<void> {
  const customer = await findCustomer(db, attempt.userId);
  if (customer && isKeyAlive(attempt)) {
    const promise = await promiseFor(db, attempt);
    const session = await createSession(stripe, attempt, customer, promise).catch((error: unknown) => {
      if (!isInvalidRequest(error) && !isSavedFailure(error)) throw error;
      return null;
    });
    if (session) await expireSession(stripe, session.id);
  }
  await markSettled(db, attempt.id);
}

/** What stands beside Stripe's button: the renewal terms of an attempt, if it is not of an older version, and the promise. */
async function promiseFor(db: Queryable, { id, priceId }: CheckoutAttempt): Promise<string> {
  const consent = await findConsent(db, id);
  const [product] = await db
    .select({ tier: products.tier })
    .from(prices)
    .innerJoin(products, eq(products.id, prices.productId))
    .where(eq(prices.id, priceId));
  const promise = buyingEarly(product?.tier ?? null, await loadFeatureStates(db));
  return consent ? `${consent.text} ${promise}` : promise;
}

/**
 * Makes sure that an attempt can no longer be paid.
 *
 * @returns `closed`; or `paid` when it has been paid and its subscription is not stored here yet: it then stays open,
 *   so that the user cannot pay twice in the meantime
 */
export async function closeAttempt(stripe: Stripe, db: Database, id: string): Promise<"closed" | "paid"> {
  for (;;) {
    const [attempt] = await db.select().from(checkoutAttempts).where(eq(checkoutAttempts.id, id));
    if (attempt?.status !== "open") return "closed";
    const paid = attempt.sessionId ? await expireSession(stripe, attempt.sessionId) : null;
    if (paid && !(await isSubscriptionKnown(db, paid))) return "paid";
    if (paid) await linkConsent(db, attempt.id, subscriptionIdOf(paid));
    if (await markClosed(db, attempt, { needsCheck: attempt.sessionId === null })) return "closed";
    // A session id was recorded since the SELECT: start over, so that this session is expired too.
  }
}

/** Enqueues, in the caller's transaction, the closing of the user's open attempt, if there is one. */
export async function enqueueAttemptClosing(tx: Queryable, userId: string): Promise<void> {
  await tx.execute(sql`
    INSERT INTO outbox (kind, payload)
    SELECT 'close_attempt', jsonb_build_object('attemptId', id)
    FROM checkout_attempts WHERE user_id = ${userId} AND status = 'open'`);
}

/** Whether the subscription a session paid for is stored here, in whatever state. */
export async function isSubscriptionKnown(db: Queryable, session: Stripe.Checkout.Session): Promise<boolean> {
  const id = subscriptionIdOf(session);
  const [known] = await db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.id, id));
  return known !== undefined;
}

function subscriptionIdOf({ subscription }: Stripe.Checkout.Session): string {
  return typeof subscription === "string" ? subscription : (subscription?.id ?? "");
}

/**
 * Closes an attempt if it is still open with the same session.
 *
 * @param needsCheck whether Stripe may have a session that was never recorded; the sweep then checks once more
 * @returns false when it has changed
 */
async function markClosed(
  db: Database,
  attempt: CheckoutAttempt,
  { needsCheck }: { needsCheck: boolean },
): Promise<boolean> {
  const checkAt = needsCheck ? sql`now() + interval '1 minute'` : null;
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

async function markSettled(db: Database, id: string): Promise<void> {
  await db
    .update(checkoutAttempts)
    .set({ checkAt: null })
    .where(and(eq(checkoutAttempts.id, id), eq(checkoutAttempts.status, "closed")));
}

/** Stripe keeps idempotency keys for a day; an hour less allows for clock skew. */
const KEY_LIFETIME_MILLISECONDS = 23 * 60 * 60 * 1000;

/**
 * Creates the Stripe session of an attempt. The attempt's id is the idempotency key, so a second call returns the same
 * session for as long as `isKeyAlive`. Its subscription carries the id in `metadata.checkout_attempt`.
 *
 * @param promise what is said beside the button that pays
 * @throws Stripe's errors
 */
function createSession(
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
async function expireSession(stripe: Stripe, sessionId: string): Promise<Stripe.Checkout.Session | null> {
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
