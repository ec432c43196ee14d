import { randomUUID } from "node:crypto";
import type { Pool } from "pg";

/** Inserts a grant as redeeming leaves it, at any time. */
export function give(
  pool: Pool,
  user: string,
  code: string | null,
  { tier = "basic", at = "now()", until = "now() + interval '1 year'" } = {},
) {
  return pool.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, ${at}, ${until})`,
    [randomUUID(), user, tier, code ? "promo" : "admin", code],
  );
}

/** Inserts a subscription as a sync leaves it; `columns` are SQL. */
export function subscribe(pool: Pool, user: string, columns: Record<string, string> = {}) {
  const row: Record<string, string> = {
    id: `'sub_${randomUUID()}'`,
    user_id: `'${user}'`,
    price_id: "'monthly'",
    tier: "'basic'",
    status: "'active'",
    current_period_start: "now()",
    current_period_end: "now() + interval '1 month'",
    access_until: "now() + interval '1 month 7 days'",
    started_at: "now()",
    sync_ticket: "1",
    ...columns,
  };
  return pool.query(`INSERT INTO stripe_subscriptions (${Object.keys(row)}) VALUES (${Object.values(row)})`);
}

/** Inserts a user's first payment, made now. */
export async function pay(pool: Pool, user: string): Promise<void> {
  await pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $1)", [user]);
  await pool.query(
    `INSERT INTO stripe_invoices (id, user_id, status, billing_reason, currency, total, amount_due, amount_paid, created_at,
       paid_at, sync_ticket) VALUES ($1, $1, 'paid', 'subscription_create', 'usd', 299, 0, 299, now(), now(), 1)`,
    [user],
  );
}
