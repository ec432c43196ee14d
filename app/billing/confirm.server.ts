import { and, eq, isNotNull, sql } from "drizzle-orm";
import { createHostCookie, replaceCookie } from "../auth/cookies.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { prepareOnce } from "../db/prepare.server.ts";
import type { RequestState } from "../http/context.server.ts";
import { TIMED_OUT, withinTime } from "../http/time-limit.server.ts";
import { consumeLimit } from "../limits/rate-limit.server.ts";
import { findOpenAttempt, isSubscriptionKnown, retrieveSession } from "./checkout-attempt.server.ts";
import { BILLING_LIMITS } from "./limits.ts";
import { findOpenSubscription } from "./open-subscription.server.ts";
import { checkoutAttempts } from "./schema.ts";
import type { BillingApp, StripeApp } from "./stripe.server.ts";
import { syncUser } from "./sync/sync-customer.server.ts";

const RESPONSE_MILLISECONDS = 2_500;

type Outcome = "confirmed" | "waiting" | "unpaid" | "nothing";

const NOTHING = { outcome: "nothing" as const, secondsWaited: 0 };

/**
 * Asks Stripe about the payment that a user returns from. A slow answer is stored all the same, and seen by the next poll.
 * @returns `nothing`: payments are off, the session is unknown or another user's, or its subscription has ended
 */
export async function confirmPayment(app: BillingApp, userId: string, sessionId: string) {
  if (!/^\w{1,255}$/.test(sessionId) || !app.payments.isOn) return NOTHING;
  const [attempt] = await app.db
    .select({
      id: checkoutAttempts.id,
      secondsWaited: sql<number>`coalesce(extract(epoch FROM now() - ${checkoutAttempts.returnedAt}), 0)::float`,
      hasReturned: sql<boolean>`${checkoutAttempts.returnedAt} IS NOT NULL`,
    })
    .from(checkoutAttempts)
    .where(and(eq(checkoutAttempts.sessionId, sessionId), eq(checkoutAttempts.userId, userId)));
  if (!attempt) return NOTHING;
  const { secondsWaited, hasReturned } = attempt;
  if (await findOpenSubscription(app.db, userId)) return { outcome: "confirmed", secondsWaited };
  const outcome = await askWithinLimit({ ...app, stripe: app.payments.stripe }, userId, sessionId);
  if (!outcome) return { outcome: hasReturned ? "waiting" : "unpaid", secondsWaited };
  // The first return counts: the time since then sets the polling interval.
  const returnedAt = outcome === "waiting" ? sql`coalesce(${checkoutAttempts.returnedAt}, now())` : null;
  await app.db.update(checkoutAttempts).set({ returnedAt }).where(eq(checkoutAttempts.id, attempt.id));
  return { outcome, secondsWaited };
}

/** `false` also when Stripe does not answer in time. */
export async function wasLeftUnpaid(app: BillingApp, userId: string): Promise<boolean> {
  const attempt = await findOpenAttempt(app.db, userId);
  if (!attempt?.sessionId || !app.payments.isOn) return false;
  const stripeApp = { ...app, stripe: app.payments.stripe };
  return (await askWithinLimit(stripeApp, userId, attempt.sessionId)) === "unpaid";
}

const { sessionId, status, returnedAt } = checkoutAttempts;

export const IS_UNCONFIRMED = and(eq(status, "open"), isNotNull(returnedAt));

const findUnconfirmed = prepareOnce((db) =>
  db
    .select({ sessionId })
    .from(checkoutAttempts)
    .where(and(eq(checkoutAttempts.userId, sql.placeholder("userId")), IS_UNCONFIRMED))
    .prepare("unconfirmed_session"),
);

export async function findUnconfirmedSession(db: Queryable, userId: string): Promise<string | null> {
  const [attempt] = await findUnconfirmed(db).execute({ userId });
  return attempt?.sessionId ?? null;
}

const inFlight = new Map<string, Promise<Outcome>>();

/** Concurrent calls for one session share a request. @returns `null` past the limit */
async function askWithinLimit(
  app: BillingApp & StripeApp,
  userId: string,
  sessionId: string,
): Promise<Outcome | null> {
  let check = inFlight.get(sessionId);
  if (!check) {
    const consumed = await consumeLimit(app, BILLING_LIMITS.paymentChecksByUser, userId);
    if (!consumed.ok) return null;
    check = inFlight.get(sessionId) ?? startCheck(app, userId, sessionId);
  }
  const outcome = await withinTime(RESPONSE_MILLISECONDS, check);
  return outcome === TIMED_OUT ? "waiting" : outcome;
}

function startCheck(app: BillingApp & StripeApp, userId: string, sessionId: string): Promise<Outcome> {
  const check = checkPayment(app, userId, sessionId)
    .catch((error: unknown) => {
      app.log.warn({ error }, "could not ask Stripe about a payment");
      return "waiting" as const;
    })
    .finally(() => inFlight.delete(sessionId));
  inFlight.set(sessionId, check);
  return check;
}

async function checkPayment(app: StripeApp, userId: string, sessionId: string): Promise<Outcome> {
  await syncUser(app, userId);
  if (await findOpenSubscription(app.db, userId)) return "confirmed";

  const session = await retrieveSession(app.stripe, sessionId);
  if (session?.status !== "complete") return session ? "unpaid" : "nothing";
  return (await isSubscriptionKnown(app.db, session)) ? "nothing" : "waiting";
}

type HasOrigin = Pick<Config, "publicOrigin">;

/** Thanks for a payment once: a reload or Back must not thank again. */
const paidCookie = (config: HasOrigin) => createHostCookie(config, "paid", 60);

export async function setPaidCookie(config: HasOrigin, state: RequestState): Promise<void> {
  replaceCookie(state, await paidCookie(config).serialize("1"));
}

export async function takePaidCookie(
  config: HasOrigin,
  state: RequestState,
  { headers }: Request,
): Promise<boolean> {
  if ((await paidCookie(config).parse(headers.get("cookie"))) !== "1") return false;
  replaceCookie(state, await paidCookie(config).serialize("", { maxAge: 0 }));
  return true;
}
