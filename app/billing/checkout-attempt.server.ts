import { and, eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { Database, Queryable } from "../db/client.server.ts";
import { loadFeatureStates } from "../entitlements/features.server.ts";
import { buyingEarly } from "../entitlements/features.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { findCustomer } from "./customer.server.ts";
import { CLOSE_ATTEMPT } from "./job-kinds.server.ts";
import { findConsent, linkConsent } from "./plan/consent.server.ts";
import { type CheckoutAttempt, checkoutAttempts, prices, products, stripeSubscriptions } from "./schema.ts";
import {
  isInvalidRequest,
  isSavedFailure,
  nullIfMissing,
  type StripeApp,
  stripeIdOf,
} from "./stripe.server.ts";

export async function findOpenAttempt(db: Queryable, userId: string): Promise<CheckoutAttempt | null> {
  const [attempt] = await db
    .select()
    .from(checkoutAttempts)
    .where(and(eq(checkoutAttempts.userId, userId), eq(checkoutAttempts.status, "open")));
  return attempt ?? null;
}

/**
 * The attempt's id is the idempotency key, so a retry gets the same session.
 * @returns `replaced`: the attempt was closed meanwhile, and the session is expired; `null`: Stripe no longer has it
 */
export async function createOrRetrieveSession(
  app: StripeApp,
  attempt: CheckoutAttempt,
  customer: string,
): Promise<Stripe.Checkout.Session | "replaced" | null> {
  const { stripe, db } = app;
  if (attempt.sessionId) return retrieveSession(stripe, attempt.sessionId);
  const session = await createSession(app, attempt, customer).catch(async (error: unknown) => {
    // Stripe repeats either error for a day under this key. The URL of a session it may have created was never handed out.
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
  // If this fails, the sweep finds the session by its key: attempt-checks.server.ts.
  await expireSession(stripe, session.id).then(
    () => markSettled(db, attempt.id),
    () => {},
  );
  return "replaced";
}

/** A killed request may have created a session without recording it: its key finds it. @throws Stripe's errors */
export async function expireUnrecordedSession(app: StripeApp, attempt: CheckoutAttempt): Promise<void> {
  const customer = await findCustomer(app.db, attempt.userId);
  if (customer && isKeyAlive(attempt)) {
    const session = await createSession(app, attempt, customer).catch((error: unknown) => {
      if (!isInvalidRequest(error) && !isSavedFailure(error)) throw error;
      return null;
    });
    if (session) await expireSession(app.stripe, session.id);
  }
  await markSettled(app.db, attempt.id);
}

/** The text beside Stripe's button: renewal terms, unless an older version created the attempt, and the refund promise. */
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

/** @returns `paid`: it stays open until its subscription is stored, against paying twice */
export async function closeAttempt(
  { stripe, db }: Pick<StripeApp, "stripe" | "db">,
  id: string,
): Promise<"closed" | "paid"> {
  for (;;) {
    const [attempt] = await db.select().from(checkoutAttempts).where(eq(checkoutAttempts.id, id));
    if (attempt?.status !== "open") return "closed";
    const paid = attempt.sessionId ? await expireSession(stripe, attempt.sessionId) : null;
    if (paid && !(await isSubscriptionKnown(db, paid))) return "paid";
    if (paid) await linkConsent(db, attempt.id, subscriptionIdOf(paid));
    if (await markClosed(db, attempt, { needsCheck: attempt.sessionId === null })) return "closed";
  }
}

export async function enqueueAttemptClosing(tx: Queryable, userId: string): Promise<void> {
  const attempt = await findOpenAttempt(tx, userId);
  if (attempt) await enqueue(tx, CLOSE_ATTEMPT, { attemptId: attempt.id });
}

export async function isSubscriptionKnown(db: Queryable, session: Stripe.Checkout.Session): Promise<boolean> {
  const id = subscriptionIdOf(session);
  const [known] = await db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.id, id));
  return known !== undefined;
}

function subscriptionIdOf({ subscription }: Stripe.Checkout.Session): string {
  return stripeIdOf(subscription) ?? "";
}

/** @param needsCheck whether Stripe may have a session that is not recorded */
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

/** Tax depends on the customer's address, which Stripe keeps for renewals (https://docs.stripe.com/tax/checkout). */
const TAXED = {
  automatic_tax: { enabled: true },
  billing_address_collection: "required",
  customer_update: { address: "auto", name: "auto" },
} satisfies Partial<Stripe.Checkout.SessionCreateParams>;

/** While `isKeyAlive`, a second call returns the same session. @throws Stripe's errors */
async function createSession(
  { stripe, db, config: { site } }: StripeApp,
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
      // At most 1200 characters. If the text has changed, Stripe refuses the key, which closes the attempt.
      custom_text: { submit: { message: await promiseFor(db, attempt) } },
      subscription_data: { metadata: { checkout_attempt: attempt.id } },
      ...(site.plusTax && TAXED),
    },
    { idempotencyKey: attempt.id },
  );
}

export function isKeyAlive({ createdAt }: CheckoutAttempt): boolean {
  return Date.now() - createdAt.getTime() < KEY_LIFETIME_MILLISECONDS;
}

/** @returns the session, if it was paid already. @throws Stripe's errors */
async function expireSession(stripe: Stripe, sessionId: string): Promise<Stripe.Checkout.Session | null> {
  try {
    await stripe.checkout.sessions.expire(sessionId);
    return null;
  } catch (error) {
    // Stripe refuses this for a session that is not open, or of another account.
    if (!isInvalidRequest(error)) throw error;
    const session = await retrieveSession(stripe, sessionId);
    return session?.status === "complete" ? session : null;
  }
}

export function retrieveSession(stripe: Stripe, id: string): Promise<Stripe.Checkout.Session | null> {
  return nullIfMissing(stripe.checkout.sessions.retrieve(id));
}
