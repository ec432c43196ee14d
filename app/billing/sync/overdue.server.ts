import { sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { SYNC_CUSTOMER } from "../job-kinds.server.ts";

const OVERDUE = sql`
  WITH due AS MATERIALIZED (
    -- The user, and after when a sync settles it; infinity: when the row has changed.
    SELECT user_id, 'infinity'::timestamptz AS since FROM stripe_subscriptions
    WHERE status IN ('active', 'trialing') AND current_period_end < now()
    UNION ALL
    SELECT user_id, 'infinity' FROM stripe_subscriptions
    WHERE cancel_at < now() AND cancel_at IS NOT NULL AND status NOT IN ('canceled', 'incomplete_expired')
    UNION ALL
    -- These states last for days, so each is synced once, or every half hour.
    SELECT user_id, access_until FROM stripe_subscriptions WHERE status = 'past_due' AND access_until < now()
    UNION ALL
    SELECT user_id, resumes_at FROM stripe_subscriptions
    WHERE resumes_at < now() AND resumes_at IS NOT NULL AND status NOT IN ('canceled', 'incomplete_expired')
    UNION ALL
    SELECT user_id, now() - interval '30 minutes' FROM stripe_subscriptions WHERE status = 'incomplete'
    UNION ALL
    -- Not synced since the column access_until exists.
    SELECT user_id, 'infinity' FROM stripe_subscriptions WHERE access_until IS NULL
    UNION ALL
    -- Banks decide disputes after weeks, and refunds may wait for that.
    SELECT user_id, now() - interval '6 hours' FROM stripe_invoices
    WHERE dispute_status IN ('needs_response', 'under_review')
    UNION ALL
    -- Stripe takes a moment to try a card.
    SELECT user_id, next_attempt_at + interval '10 minutes' FROM stripe_invoices
    WHERE status = 'open' AND next_attempt_at < now() - interval '10 minutes'
  )
  SELECT DISTINCT stripe_customer_id
  FROM due JOIN customers USING (user_id)
  WHERE coalesce(synced_at, '-infinity') < least(since, now() - interval '1 minute')
    -- Waiting and running jobs have an index each.
    AND NOT EXISTS (
      SELECT FROM outbox AS waiting
      WHERE waiting.done_at IS NULL AND waiting.claimed_at IS NULL AND waiting.kind = ${SYNC_CUSTOMER.name}
        AND waiting.dedupe_key = stripe_customer_id
    )
    AND NOT EXISTS (
      SELECT FROM outbox AS running
      WHERE running.done_at IS NULL AND running.claimed_at IS NOT NULL AND running.kind = ${SYNC_CUSTOMER.name}
        AND running.dedupe_key = stripe_customer_id
    )`;

/** Safe to run at any time: one job per customer and minute. */
export async function enqueueOverdueSyncs(db: Queryable): Promise<void> {
  await db.execute(sql`
    INSERT INTO outbox (kind, dedupe_key, payload)
    SELECT ${SYNC_CUSTOMER.name}, stripe_customer_id, jsonb_build_object('stripeCustomerId', stripe_customer_id)
    FROM (${OVERDUE}) AS overdue
    ON CONFLICT DO NOTHING`);
}
