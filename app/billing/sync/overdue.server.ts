import { sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";

/**
 * Enqueues a sync of every customer of whom Stripe should have told us something by now, so that its webhook is late or
 * lost: a period, a pause or the days of grace are over, a payment was due to be tried again, or a first payment is still
 * not settled. Safe to run at any time; at most one job per customer and minute.
 */
export async function enqueueOverdueSyncs(db: Queryable): Promise<void> {
  await db.execute(sql`
    INSERT INTO outbox (kind, dedupe_key, payload)
    SELECT 'sync_customer', stripe_customer_id, jsonb_build_object('stripeCustomerId', stripe_customer_id)
    FROM customers, LATERAL (SELECT coalesce(synced_at, '-infinity') AS asked_at) AS asked
    WHERE asked_at < now() - interval '1 minute'
      AND (
        EXISTS (
          SELECT FROM stripe_subscriptions AS subscription
          WHERE subscription.user_id = customers.user_id
            AND status NOT IN ('canceled', 'incomplete_expired')
            AND (
              status IN ('active', 'trialing') AND current_period_end < now()
              OR cancel_at < now()
              -- These stay as they are for days, so each is asked about once, or twice an hour.
              OR status = 'past_due' AND access_until < now() AND asked_at < access_until
              OR resumes_at < now() AND asked_at < resumes_at
              OR status = 'incomplete' AND asked_at < now() - interval '30 minutes'
            )
        )
        OR EXISTS (
          -- Stored by a process of an older version, which knows nothing of access.
          SELECT FROM stripe_subscriptions AS subscription
          WHERE subscription.user_id = customers.user_id AND subscription.sync_ticket > customers.sync_ticket
        )
        OR EXISTS (
          -- Stripe takes a moment to try a card.
          SELECT FROM stripe_invoices AS invoice
          WHERE invoice.user_id = customers.user_id AND status = 'open'
            AND next_attempt_at < now() - interval '10 minutes'
            AND asked_at < next_attempt_at + interval '10 minutes'
        )
      )
      AND NOT EXISTS (
        SELECT FROM outbox AS waiting
        WHERE waiting.done_at IS NULL AND waiting.kind = 'sync_customer'
          AND waiting.dedupe_key = stripe_customer_id
      )
    ON CONFLICT DO NOTHING`);
}
