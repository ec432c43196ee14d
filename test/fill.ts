import type { Pool } from "pg";
import { ROWS } from "./fill-rows.ts";

/** What makes the planner choose as on a large site: in an empty table one way to look is as good as another. */
const BESIDE = [
  // Left by an earlier redemption.
  "INSERT INTO redeemed_addresses (promo_code, email_hash, grant_id) SELECT promo_code, id, id FROM grants",
  `INSERT INTO authenticator_apps (user_id, secret, confirmed_at) SELECT id, 'secret', now() FROM "user"`,
  `INSERT INTO plan_changes (subscription_id, user_id, kind, applied_at)
   SELECT id, user_id, 'cancel', now() FROM stripe_subscriptions`,
  // One in twenty was never paid.
  `INSERT INTO renewal_consents (id, user_id, price_id, subscription_id, text_version, text)
   SELECT id, user_id, 'price', CASE WHEN i % 20 > 0 THEN 'sub_' || i END, '', ''
   FROM (SELECT id, user_id, row_number() OVER () AS i FROM checkout_attempts) AS attempts`,
  "UPDATE stripe_invoices SET status = 'open', paid_at = NULL, next_attempt_at = now() WHERE sync_ticket % 20 = 0",
];

/**
 * Fills a migrated database with so many users, redemptions, mails and so on, and vacuums it as autovacuum would have by and by.
 *
 * @param pool as a superuser: references are not checked, and no trigger runs
 */
export async function fill(pool: Pool, size: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(
      "SET session_replication_role = replica; SET synchronous_commit = off; SET statement_timeout = 0",
    );
    await client.query("INSERT INTO database_purpose (purpose) VALUES ('sandbox')");
    await client.query(
      `INSERT INTO waitlist_invitations (id, size, tier, duration_months, created_at, finished_at)
       VALUES ('invitation', 9500, 'premium', 1, now(), now())`,
    );
    for (const [table, { share = 1, rows = Math.ceil(size * share), columns, values }] of Object.entries(
      ROWS,
    ))
      await client.query(
        `INSERT INTO "${table}" (${columns}) SELECT ${values.replaceAll("$size", String(size))}
         FROM generate_series(1, ${rows}) AS i`,
      );
    await client.query("SELECT setval('waitlist_ticket', (SELECT max(ticket) FROM waitlist))");
    for (const statement of BESIDE) await client.query(statement);
    await client.query("VACUUM (ANALYZE)");
  } finally {
    // Its settings go with it.
    client.release(true);
  }
}
