import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { Database, Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { consumeLimit } from "../limits/rate-limit.server.ts";
import { findOpenAttempt, isSubscriptionKnown, retrieveSession } from "./checkout-attempt.server.ts";
import { findCustomer } from "./customer.server.ts";
import { BILLING_LIMITS } from "./limits.ts";
import { checkoutAttempts } from "./schema.ts";
import { findOpenSubscription, syncCustomer } from "./sync.server.ts";

/** How long the page may keep a person looking at nothing before it says what it waits for, in milliseconds. */
const PATIENCE_MILLISECONDS = 2_500;

type Parts = Pick<App, "config" | "db" | "payments" | "log">;
type Outcome = "confirmed" | "waiting" | "unpaid" | "nothing";

/** What became of a payment, and for how many seconds its user has been back from it. */
export interface Confirmation {
  outcome: Outcome;
  secondsWaited: number;
}

const NOTHING: Confirmation = { outcome: "nothing", secondsWaited: 0 };

/**
 * What became of the payment a person comes back from. Asks Stripe itself rather than wait for the webhook;
 * an answer that takes longer than a moment is written all the same and seen at the next look. Of one user's looks at
 * a time one asks, and the others get its answer; past the limit they get what is known here.
 *
 * @param sessionId as Stripe put it into the return address
 * @returns `nothing` when there is nothing to wait for: the session is not this user's, or it is an old one whose
 *   subscription has come and gone
 */
export async function confirmPayment(app: Parts, userId: string, sessionId: string): Promise<Confirmation> {
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
  if (!underWay.has(sessionId)) {
    const consumed = await consumeLimit(app, BILLING_LIMITS.paymentLooksByUser, userId);
    if (!consumed.ok) return { outcome: hasReturned ? "waiting" : "unpaid", secondsWaited };
  }
  const asked = askOnce(app, app.payments.stripe, userId, sessionId);
  const outcome = await Promise.race([asked, sleep(PATIENCE_MILLISECONDS, "waiting" as const)]);
  // The first time counts: how long it has taken decides how often the page looks again.
  const returnedAt = outcome === "waiting" ? sql`coalesce(${checkoutAttempts.returnedAt}, now())` : null;
  await app.db.update(checkoutAttempts).set({ returnedAt }).where(eq(checkoutAttempts.id, attempt.id));
  return { outcome, secondsWaited };
}

/** The session somebody came back from paying on, of which nothing is known yet; `null` when there is none. */
export async function findUnconfirmedSession(db: Queryable, userId: string): Promise<string | null> {
  const attempt = await findOpenAttempt(db, userId);
  return attempt?.returnedAt ? attempt.sessionId : null;
}

/** What this process asks Stripe just now, by session. */
const underWay = new Map<string, Promise<Outcome>>();

function askOnce(app: Parts, stripe: Stripe, userId: string, sessionId: string): Promise<Outcome> {
  const known = underWay.get(sessionId);
  if (known) return known;
  const asked = askStripe(stripe, app.db, userId, sessionId)
    .catch((error: unknown) => {
      app.log.warn({ error }, "could not ask Stripe about a payment");
      return "waiting" as const;
    })
    .finally(() => underWay.delete(sessionId));
  underWay.set(sessionId, asked);
  return asked;
}

async function askStripe(stripe: Stripe, db: Database, userId: string, sessionId: string): Promise<Outcome> {
  const customer = await findCustomer(db, userId);
  if (customer) await syncCustomer(stripe, db, customer);
  if (await findOpenSubscription(db, userId)) return "confirmed";

  const session = await retrieveSession(stripe, sessionId);
  if (session?.status !== "complete") return session ? "unpaid" : "nothing";
  return (await isSubscriptionKnown(db, session)) ? "nothing" : "waiting";
}
