import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { closeAttempt, expireUnrecordedSession, retrieveSession } from "./checkout-attempt.server.ts";
import { CHECK_ATTEMPT } from "./job-kinds.server.ts";
import { checkoutAttempts } from "./schema.ts";
import type { StripeApp } from "./stripe.server.ts";
import { syncUser } from "./sync/sync-customer.server.ts";

const BATCH_SIZE = 100;

/** Enqueues the checks that are due: after 1, 5 and 30 minutes, then daily. Finds payments whose webhook was lost. */
export async function enqueueDueChecks(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string }>(sql`
      UPDATE checkout_attempts SET checks = checks + 1, check_at = now() + CASE checks
        WHEN 0 THEN interval '4 minutes' WHEN 1 THEN interval '25 minutes' ELSE interval '1 day' END
      WHERE id IN (
        SELECT id FROM checkout_attempts WHERE check_at <= now()
        ORDER BY check_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED
      )
      RETURNING id`);
    for (const { id } of rows) await enqueue(tx, CHECK_ATTEMPT, { attemptId: id });
  });
}

/** Syncs an attempt that was paid, and closes one that expired or was never shown. @throws Stripe's errors */
export async function checkAttempt(app: StripeApp & Pick<App, "log">, attemptId: string): Promise<void> {
  const { stripe, db, log } = app;
  const [attempt] = await db.select().from(checkoutAttempts).where(eq(checkoutAttempts.id, attemptId));
  if (!attempt?.checkAt) return;
  if (attempt.status === "closed" || attempt.sessionId === null) {
    await closeAttempt(app, attempt.id);
    return expireUnrecordedSession(app, attempt);
  }

  const session = await retrieveSession(stripe, attempt.sessionId);
  if (session?.status === "open") return;
  if (session?.status === "complete") await syncUser(app, attempt.userId);
  if ((await closeAttempt(app, attempt.id)) === "paid") {
    log.error({ attempt: attempt.id }, "a checkout is paid, and no subscription of it is known here");
  }
}
