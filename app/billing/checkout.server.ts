import { randomUUID } from "node:crypto";
import Stripe from "stripe";
import { z } from "zod";
import { isOnAdminList } from "../auth/session.server.ts";
import type { SignedInUser } from "../auth/users.server.ts";
import type { Database } from "../db/client.server.ts";
import { isForeignKeyViolation } from "../db/constraint-errors.server.ts";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { TIMED_OUT, withinTime } from "../http/time-limit.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import {
  closeAttempt,
  createOrRetrieveSession,
  findOpenAttempt,
  isKeyAlive,
} from "./checkout-attempt.server.ts";
import { choiceQuery } from "./choice.ts";
import { ensureCustomer, replaceMissingCustomer } from "./customer.server.ts";
import { BILLING_LIMITS } from "./limits.ts";
import { findOpenSubscription } from "./open-subscription.server.ts";
import { findConsent, recordConsent } from "./plan/consent.server.ts";
import { ADMIN_HAS_NO_PLAN, BILLING_MESSAGES, type Price } from "./plans.ts";
import { purchaseTerms } from "./renewal-terms.ts";
import { type CheckoutAttempt, checkoutAttempts } from "./schema.ts";
import { type BillingApp, isMissing, isTimeout, type StripeApp } from "./stripe.server.ts";
import { syncCustomer } from "./sync/sync-customer.server.ts";

/** The client chooses the price and the return URLs, never an amount, a trial, a coupon or a user. */
const checkoutRequest = z.object({
  price: z.string().regex(/^\w{1,255}$/),
  success_url: z.string().max(2000),
  cancel_url: z.string().max(2000),
});

export type Checkout = { ok: true; url: string } | Failure;

/** For all of a checkout's calls to Stripe. Running calls continue, and the next press finds their result. */
const STRIPE_MILLISECONDS = 10_000;
/** Concurrent requests may change the attempt; more rounds than this mean a bug. */
const MAX_ROUNDS = 10;
const PAYMENT_PENDING =
  "We’re still confirming your payment. Please don’t pay again. You’ll see it on your dashboard.";
const NOT_ON_SALE = "This price is no longer available. Nothing was charged. Please choose a plan again.";
const ALREADY_SUBSCRIBED = "You already have a paid plan. You’ll find it on your dashboard.";

/**
 * `createCheckoutSession` (spec §7): the URL of Stripe's payment page. Failures: 401 signed out; 403 an admin; 400 malformed, or
 * another site's URL; 404 not on sale; 409 has a paid plan; 429 too often; 501 payments are off; 503 Stripe is away; 504 timed out.
 */
export async function createCheckoutSession(
  app: BillingApp,
  user: SignedInUser | null,
  input: unknown,
): Promise<Checkout> {
  if (!user) return failure(401, BILLING_MESSAGES.signedOut);
  if (isOnAdminList(app, user)) return failure(403, ADMIN_HAS_NO_PLAN);
  const parsed = checkoutRequest.safeParse(input);
  if (!parsed.success) return failure(400, "Send price, success_url and cancel_url");
  const successUrl = sameOriginUrl(parsed.data.success_url, app.config.publicOrigin);
  const cancelUrl = sameOriginUrl(parsed.data.cancel_url, app.config.publicOrigin);
  if (!successUrl || !cancelUrl) return failure(400, "success_url and cancel_url must be on this site");
  if (!app.payments.isOn) return failure(501, "Payments aren’t set up on this site yet.");

  const choice = await findOnSale(app, parsed.data.price);
  if (!choice) return failure(404, NOT_ON_SALE);
  const { plan, price } = choice;
  const params = {
    price,
    successUrl: withQuery(successUrl, "session_id={CHECKOUT_SESSION_ID}"),
    cancelUrl: withQuery(cancelUrl, `${choiceQuery({ plan: plan.id, billing: price.interval })}&unpaid=1`),
  };
  const stripeApp = { ...app, stripe: app.payments.stripe };
  return withLimit(app, BILLING_LIMITS.checkoutByUser, user.id, async () => {
    const session = openWithStripe(stripeApp, user, params);
    const logLate = (error: unknown) => app.log.error({ error }, "a checkout that took too long failed");
    const answer = await withinTime(STRIPE_MILLISECONDS, session, logLate);
    return answer === TIMED_OUT ? failure(504, BILLING_MESSAGES.checkoutFailed) : answer;
  });
}

/** Failures: 503 or 504 while Stripe is away; 401 the account was deleted meanwhile. */
async function openWithStripe(
  app: StripeApp & Pick<App, "log">,
  user: SignedInUser,
  params: CheckoutParams,
): Promise<Checkout> {
  try {
    return await openCheckoutSession(app, user, params).catch(async (error: unknown) => {
      if (!isMissing(error, "customer")) throw error;
      await replaceMissingCustomer(app, user);
      return openCheckoutSession(app, user, params);
    });
  } catch (error) {
    if (isForeignKeyViolation(error)) return failure(401, BILLING_MESSAGES.signedOut);
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    app.log.error({ error }, "Stripe did not create a checkout session");
    return failure(isTimeout(error) ? 504 : 503, BILLING_MESSAGES.checkoutFailed);
  }
}

type CheckoutParams = Pick<CheckoutAttempt, "successUrl" | "cancelUrl"> & { price: Price };

type CheckoutTerms = CheckoutParams & { text: string };

/** One payable session per user: the same price and URLs reuse it, others replace it, and a replaced request ends without one. */
async function openCheckoutSession(
  app: StripeApp,
  user: SignedInUser,
  params: CheckoutParams,
): Promise<Checkout> {
  const { db, config } = app;
  const customer = await ensureCustomer(app, user);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (await findOpenSubscription(db, user.id)) return failure(409, ALREADY_SUBSCRIBED);

    const terms = { ...params, text: purchaseTerms(params.price, config.site.plusTax) };
    const attempt = (await findOpenAttempt(db, user.id)) ?? (await insertAttempt(db, user.id, terms));
    if (!attempt) continue;
    if (await isReusable(db, attempt, terms)) {
      const session = await createOrRetrieveSession(app, attempt, customer);
      // If both requests kept replacing each other, neither would get a session.
      if (session === "replaced") break;
      // A payment of an earlier attempt may have been stored meanwhile: this session must not be shown.
      const isPayable = session?.status === "open" && !(await findOpenSubscription(db, user.id));
      if (isPayable && session.url) return { ok: true, url: session.url };
    }
    if ((await closeAttempt(app, attempt.id)) === "closed") continue;

    await syncCustomer(app, customer);
    if ((await closeAttempt(app, attempt.id)) === "paid") return failure(409, PAYMENT_PENDING);
  }
  const isSubscribed = await findOpenSubscription(db, user.id);
  return failure(409, isSubscribed ? ALREADY_SUBSCRIBED : BILLING_MESSAGES.checkoutFailed);
}

function insertAttempt(
  db: Database,
  userId: string,
  { price, successUrl, cancelUrl, text }: CheckoutTerms,
): Promise<CheckoutAttempt | null> {
  return db.transaction(async (tx) => {
    const [attempt] = await tx
      .insert(checkoutAttempts)
      .values({ id: randomUUID(), userId, priceId: price.id, successUrl, cancelUrl })
      .onConflictDoNothing()
      .returning();
    if (!attempt) return null;
    const { id } = attempt;
    await recordConsent(tx, { id, userId, priceId: price.id, text, subscriptionId: null });
    return attempt;
  });
}

/** Whether it has the same parameters and terms, and a session that can still be found. */
async function isReusable(
  db: Database,
  attempt: CheckoutAttempt,
  { price, successUrl, cancelUrl, text }: CheckoutTerms,
): Promise<boolean> {
  const hasSameParams =
    attempt.priceId === price.id && attempt.successUrl === successUrl && attempt.cancelUrl === cancelUrl;
  if (!hasSameParams || (attempt.sessionId === null && !isKeyAlive(attempt))) return false;
  return (await findConsent(db, attempt.id))?.text === text;
}

/** A price that was replaced is not on sale, although Stripe has it as active. */
async function findOnSale(app: Pick<App, "config" | "db" | "payments">, priceId: string) {
  for (const plan of await listPlansOnSale(app)) {
    const price = plan.prices.find(({ id }) => id === priceId);
    if (price) return { plan, price };
  }
  return null;
}

function withQuery(url: string, query: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}${query}`;
}

/** Without its fragment; `null`: not on our origin. */
function sameOriginUrl(text: string, publicOrigin: string): string | null {
  const url = URL.parse(text);
  // "blob:https://…" has the origin of the inner URL, but leads nowhere.
  if (url?.origin !== publicOrigin || !/^https?:$/.test(url.protocol)) return null;
  if (url.username || url.password) return null;
  return url.origin + url.pathname + url.search;
}
