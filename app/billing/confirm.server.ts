import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import type { App } from "../context.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { checkoutAttempts } from "../db/schema.ts";
import { findOpenAttempt, isSubscriptionKnown, retrieveSession } from "./checkout-attempt.server.ts";
import { findCustomer } from "./customer.server.ts";
import { findOpenSubscription, syncCustomer } from "./sync.server.ts";

/** How long the page may keep a person looking at nothing before it says what it waits for, in milliseconds. */
const PATIENCE_MILLISECONDS = 2_500;

/**
 * What became of the payment a person comes back from. Asks Stripe itself rather than wait for the webhook;
 * an answer that takes longer than a moment is written all the same and seen at the next look.
 *
 * @param sessionId as Stripe put it into the return address
 * @returns `nothing` when there is nothing to wait for: the session is not this user's, or it is an old one whose
 *   subscription has come and gone
 */
export async function confirmPayment(
  app: App,
  userId: string,
  sessionId: string,
): Promise<"confirmed" | "waiting" | "unpaid" | "nothing"> {
  if (!/^\w{1,255}$/.test(sessionId) || !app.payments.isOn) return "nothing";
  const [attempt] = await app.db
    .select()
    .from(checkoutAttempts)
    .where(and(eq(checkoutAttempts.sessionId, sessionId), eq(checkoutAttempts.userId, userId)));
  if (!attempt) return "nothing";
  if (await findOpenSubscription(app.db, userId)) return "confirmed";

  const asked = askStripe(app.payments.stripe, app.db, userId, sessionId).catch((error: unknown) => {
    app.log.warn({ error }, "could not ask Stripe about a payment");
    return "waiting" as const;
  });
  const outcome = await Promise.race([asked, sleep(PATIENCE_MILLISECONDS, "waiting" as const)]);
  const returnedAt = outcome === "waiting" ? sql`now()` : null;
  await app.db.update(checkoutAttempts).set({ returnedAt }).where(eq(checkoutAttempts.id, attempt.id));
  return outcome;
}

/** The session somebody came back from paying on, of which nothing is known yet; `null` when there is none. */
export async function findUnconfirmedSession(db: Queryable, userId: string): Promise<string | null> {
  const attempt = await findOpenAttempt(db, userId);
  return attempt?.returnedAt ? attempt.sessionId : null;
}

async function askStripe(stripe: Stripe, db: Database, userId: string, sessionId: string) {
  const customer = await findCustomer(db, userId);
  if (customer) await syncCustomer(stripe, db, customer);
  if (await findOpenSubscription(db, userId)) return "confirmed";

  const session = await retrieveSession(stripe, sessionId);
  if (session?.status !== "complete") return session ? "unpaid" : "nothing";
  return (await isSubscriptionKnown(db, session)) ? "nothing" : "waiting";
}
