import { setTimeout as sleep } from "node:timers/promises";
import { and, eq } from "drizzle-orm";
import type { App } from "../context.server.ts";
import { checkoutAttempts } from "../db/schema.ts";
import { findCustomer } from "./customer.server.ts";
import { hasOpenSubscription, syncCustomer } from "./sync.server.ts";

/** How long the page may keep a person looking at nothing before it says what it waits for, in milliseconds. */
const PATIENCE_MILLISECONDS = 2_500;

/**
 * What became of the payment a person comes back from. Asks Stripe itself rather than wait for the webhook;
 * an answer that takes longer than a moment is written all the same and seen at the next look.
 *
 * @param sessionId as Stripe put it into the return address; one that is not this user's counts as `unknown`
 */
export async function confirmPayment(
  app: App,
  userId: string,
  sessionId: string,
): Promise<"confirmed" | "waiting" | "unpaid" | "unknown"> {
  const [attempt] = await app.db
    .select()
    .from(checkoutAttempts)
    .where(and(eq(checkoutAttempts.sessionId, sessionId), eq(checkoutAttempts.userId, userId)));
  if (!attempt || !app.payments.isOn) return "unknown";
  if (await hasOpenSubscription(app.db, userId)) return "confirmed";

  const { stripe } = app.payments;
  const asked = (async () => {
    const customer = await findCustomer(app.db, userId);
    if (customer) await syncCustomer(stripe, app.db, customer);
    if (await hasOpenSubscription(app.db, userId)) return "confirmed";
    const { status } = await stripe.checkout.sessions.retrieve(sessionId);
    return status === "complete" ? "waiting" : "unpaid";
  })().catch((error: unknown) => {
    app.log.warn({ error }, "could not ask Stripe about a payment");
    return "waiting" as const;
  });
  return Promise.race([asked, sleep(PATIENCE_MILLISECONDS, "waiting" as const)]);
}
