import { randomUUID } from "node:crypto";
import Stripe from "stripe";
import { z } from "zod";
import { isOnAdminList } from "../auth/session.server.ts";
import type { SignedInUser } from "../auth/signed-in-user.server.ts";
import type { Database } from "../db/client.server.ts";
import { isForeignKeyViolation } from "../db/constraint-errors.ts";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { LIMITS } from "../limits/limits.ts";
import { withLimit } from "../limits/with-limit.server.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import {
  type CheckoutAttempt,
  closeAttempt,
  findOpenAttempt,
  isKeyAlive,
  sessionOfAttempt,
} from "./checkout-attempt.server.ts";
import { ensureCustomer, replaceMissingCustomer } from "./customer.server.ts";
import { ADMIN_HAS_NO_PLAN, BILLING_MESSAGES } from "./plans.ts";
import { checkoutAttempts } from "./schema.ts";
import { isMissing, isTimeout } from "./stripe-errors.ts";
import { findOpenSubscription, syncCustomer } from "./sync.server.ts";

/** What a client may say: which price, and where to come back to. Never an amount, a trial, a coupon or a user. */
const checkoutRequest = z.object({
  price: z.string().regex(/^\w{1,255}$/),
  success_url: z.string().max(2000),
  cancel_url: z.string().max(2000),
});

export type Checkout = { ok: true; url: string } | Failure;

/** Twin requests may change the attempt in between; more often than this means something is wrong. */
const ROUNDS = 10;
const CONFIRMING = "Your payment is still being confirmed. Do not pay again; it shows on your dashboard.";
const NOT_ON_SALE = "This price is no longer on sale. Nothing was charged; choose a plan again.";
const PAYS_ALREADY = "You already pay for a plan. It is on your dashboard.";

/**
 * The payments extension's `createCheckoutSession` (spec §7): a hosted page where the user pays for a price.
 *
 * Failures: 401 signed out; 403 an admin; 400 malformed input or a URL that is not on this site; 404 no such price on sale;
 * 409 the user pays for a plan already; 429 the user asked too often; 503 and 504 the payments store is off, away or slow.
 */
export async function createCheckoutSession(
  app: Pick<App, "config" | "db" | "payments" | "log">,
  user: SignedInUser | null,
  input: unknown,
): Promise<Checkout> {
  if (!user) return failure(401, BILLING_MESSAGES.signedOut);
  if (isOnAdminList(app, user)) return failure(403, ADMIN_HAS_NO_PLAN);
  const parsed = checkoutRequest.safeParse(input);
  if (!parsed.success) return failure(400, "Send price, success_url and cancel_url");
  const successUrl = ownUrl(parsed.data.success_url, app.config.publicOrigin);
  const cancelUrl = ownUrl(parsed.data.cancel_url, app.config.publicOrigin);
  if (!successUrl || !cancelUrl) return failure(400, "success_url and cancel_url must be on this site");
  if (!app.payments.isOn) return failure(503, "Payments are not set up on this site yet.");

  // Stripe replaces the placeholder, so that the page after payment knows which session to ask about.
  const wanted = {
    priceId: parsed.data.price,
    successUrl: `${successUrl}${successUrl.includes("?") ? "&" : "?"}session_id={CHECKOUT_SESSION_ID}`,
    cancelUrl,
  };
  if (!(await isOnSale(app, wanted.priceId))) return failure(404, NOT_ON_SALE);
  const { stripe } = app.payments;
  return withLimit(app, LIMITS.checkoutByUser, user.id, async () => {
    try {
      return await openSession(stripe, app.db, user, wanted).catch(async (error: unknown) => {
        if (!isMissing(error, "customer")) throw error;
        await replaceMissingCustomer(stripe, app.db, user);
        return openSession(stripe, app.db, user, wanted);
      });
    } catch (error) {
      // The account was deleted while Stripe was asked.
      if (isForeignKeyViolation(error)) return failure(401, BILLING_MESSAGES.signedOut);
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      app.log.error({ error }, "Stripe did not create a checkout session");
      return failure(isTimeout(error) ? 504 : 503, BILLING_MESSAGES.checkoutFailed);
    }
  });
}

type Wanted = Pick<CheckoutAttempt, "priceId" | "successUrl" | "cancelUrl">;

/**
 * One payable session per user at a time: the same wish gets the session there is, a newer one replaces it, and
 * whoever finds their own attempt replaced gives way.
 */
async function openSession(
  stripe: Stripe,
  db: Database,
  user: SignedInUser,
  wanted: Wanted,
): Promise<Checkout> {
  const customer = await ensureCustomer(stripe, db, user);
  for (let round = 0; round < ROUNDS; round++) {
    if (await findOpenSubscription(db, user.id)) return failure(409, PAYS_ALREADY);

    const attempt = (await findOpenAttempt(db, user.id)) ?? (await insertAttempt(db, user.id, wanted));
    if (!attempt) continue;
    if (isWorthAsking(attempt, wanted)) {
      const session = await sessionOfAttempt(stripe, db, attempt, customer);
      // A newer wish came in between. Fighting over it would leave nobody with a page to pay on.
      if (session === "replaced") break;
      // A payment on an earlier attempt may have become known since we looked; then this one must not be shown.
      const isPayable = session?.status === "open" && !(await findOpenSubscription(db, user.id));
      if (isPayable && session.url) return { ok: true, url: session.url };
    }
    if ((await closeAttempt(stripe, db, attempt.id)) === "closed") continue;

    await syncCustomer(stripe, db, customer);
    if ((await closeAttempt(stripe, db, attempt.id)) === "paid") return failure(409, CONFIRMING);
  }
  const isPaying = await findOpenSubscription(db, user.id);
  return failure(409, isPaying ? PAYS_ALREADY : BILLING_MESSAGES.checkoutFailed);
}

/** @returns `null` when a twin request wrote its attempt first */
async function insertAttempt(db: Database, userId: string, wanted: Wanted): Promise<CheckoutAttempt | null> {
  const [attempt] = await db
    .insert(checkoutAttempts)
    .values({ id: randomUUID(), userId, ...wanted })
    .onConflictDoNothing()
    .returning();
  return attempt ?? null;
}

/** Whether an attempt is for this very wish, and young enough for its idempotency key to find what it made. */
function isWorthAsking(attempt: CheckoutAttempt, wanted: Wanted): boolean {
  const isSameWish =
    attempt.priceId === wanted.priceId &&
    attempt.successUrl === wanted.successUrl &&
    attempt.cancelUrl === wanted.cancelUrl;
  return isSameWish && (attempt.sessionId !== null || isKeyAlive(attempt));
}

/**
 * Whether the plan page shows this price now. One that is replaced is refused even while it is active at the payments
 * store: a page that was open meanwhile shows the new one and asks again, so nobody pays another amount than they saw.
 */
async function isOnSale(app: Pick<App, "config" | "db" | "payments">, priceId: string): Promise<boolean> {
  const plans = await listPlansOnSale(app);
  return plans.some(({ prices }) => prices.some(({ id }) => id === priceId));
}

/** The URL without its fragment when it is on our own origin, otherwise `null`. */
function ownUrl(text: string, publicOrigin: string): string | null {
  const url = URL.parse(text);
  // The origin of "blob:https://…" is the one it names, and it leads nowhere.
  if (url?.origin !== publicOrigin || !/^https?:$/.test(url.protocol)) return null;
  if (url.username || url.password) return null;
  return url.origin + url.pathname + url.search;
}
