import type { Pool } from "pg";

/** What `fill` leaves empty, and which few rows wait. */
const STATEMENTS = [
  // What an earlier redemption left.
  "INSERT INTO redeemed_addresses (promo_code, email_hash, grant_id) SELECT promo_code, id, id FROM grants",
  `INSERT INTO authenticator_apps (user_id, secret, confirmed_at) SELECT id, 'secret', now() FROM "user"`,
  `INSERT INTO plan_changes (subscription_id, user_id, kind, applied_at)
   SELECT id, user_id, 'cancel', now() FROM stripe_subscriptions`,
  // Of which one in twenty were never paid.
  `INSERT INTO renewal_consents (id, user_id, price_id, subscription_id, text_version, text)
   SELECT id, user_id, 'price', CASE WHEN i % 20 > 0 THEN 'sub_' || i END, '', ''
   FROM (SELECT id, user_id, row_number() OVER () AS i FROM checkout_attempts) AS attempts`,
  "UPDATE stripe_invoices SET status = 'open', paid_at = NULL, next_attempt_at = now() WHERE sync_ticket % 20 = 0",
];

/**
 * Adds to a database that was filled what makes the planner choose as it would on a large site: in an empty table, or an empty index
 * of some rows, one way to look is as good as another.
 */
export async function fillBeside(pool: Pool): Promise<void> {
  for (const statement of STATEMENTS) await pool.query(statement);
  await pool.query("VACUUM (ANALYZE)");
}
