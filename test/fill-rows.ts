/**
 * Rows by table, as SQL that makes them from `i`, the numbers from 1 to the size, or to `rows` where there are as many however
 * many people there are.
 */
export const ROWS: Record<string, { share?: number; rows?: number; columns: string; values: string }> = {
  user: {
    columns: "id, name, email, email_verified, created_at",
    values: `'user' || i, (ARRAY['Ada', 'Bob', 'Grace', 'Alan'])[i % 4 + 1] || ' ' || i,
      'person' || i || '@example.com', i % 3 > 0, now() - i * interval '20 seconds'`,
  },
  account: {
    columns: "id, account_id, provider_id, user_id, password",
    values: `'account' || i, 'user' || i, 'credential', 'user' || i, 'a hash that no password has'`,
  },
  session: {
    columns: "id, token_hash, user_id, expires_at, created_at, second_factor_at",
    values: `'session' || i, 'hash' || i, 'user' || i, now() + interval '29 days', now() - i * interval '1 second', now()`,
  },
  promo_codes: {
    columns:
      "code, tier, max_uses, used_count, duration_type, duration_months, active, batch_id, note, created_at",
    values: `'CODE' || i, (ARRAY['basic', 'premium', NULL])[i % 3 + 1], CASE WHEN i > 1 AND i % 10 <> 3 THEN 5 END,
      CASE WHEN i = 1 THEN 1 + $size / 100 WHEN i % 100 > 0 THEN 1 ELSE 0 END, 'months', 1, i % 10 > 0,
      CASE WHEN i % 100 = 0 THEN 'batch' || (i + 9999) / 10000 END, 'Filled', now() - i * interval '20 seconds'`,
  },
  promo_batches: {
    share: 0.0001,
    columns: "id, name, size, tier, duration_type, duration_months, created_at, finished_at",
    values: `'batch' || i, 'Batch ' || i, LEAST(100, ($size - (i - 1) * 10000) / 100), 'premium', 'months', 1, now() - i * interval '1 hour', now()`,
  },
  // One code that a hundredth of all have redeemed, and one of their own for the others.
  grants: {
    columns: "id, user_id, tier, source, promo_code, created_at, expires_at",
    values: `'grant' || i, 'user' || i, (ARRAY['basic', 'premium'])[i % 2 + 1], 'promo',
      'CODE' || CASE WHEN i % 100 = 0 THEN 1 ELSE i END, now() - i * interval '20 seconds', now() + interval '300 days'`,
  },
  outbox: {
    columns: "kind, payload, run_at, attempts, done_at, last_error, created_at",
    values: `(ARRAY['send_mail', 'sync_customer'])[i % 2 + 1], '{}', CASE WHEN i % 1000 = 0 THEN now() + interval '9 days'
      ELSE now() - i * interval '2 seconds' END, i % 7, CASE WHEN NOT (i % 1000 = 0) THEN now() - i * interval '2 seconds' END,
      CASE WHEN i % 1000 = 0 THEN 'no answer' END, now() - i * interval '2 seconds'`,
  },
  mails: {
    columns: "id, recipient, subject, queued_at, sent_at, given_up_at, failure",
    values: `i, 'person' || i || '@example.com', 'Your receipt', now() - i * interval '2 seconds',
      CASE WHEN NOT (i % 1000 = 0 OR i % 1000 = 1) THEN now() - i * interval '2 seconds' END, CASE WHEN i % 1000 = 1 THEN now() END,
      CASE WHEN i % 1000 = 1 THEN 'the address does not exist' END`,
  },
  waitlist: {
    columns: `id, email, name, uses_today, token, referral_code, referred_by, ticket, queue_position, places_given, confirmed_at, confirm_by, created_at,
      invitation_id, invitation_position, invited_at, promo_code`,
    values: `'member' || i, 'waiting' || i || '@example.com', CASE WHEN i % 2 = 0 THEN 'Ada ' || i END, 'A notebook',
      rpad('t' || i, 43, 'x'), translate(lpad(i::text, 10, '0'), '01', 'gh'),
      CASE WHEN i % 3 = 0 AND i % 20 > 0 THEN 'member' || i / 3 END,
      CASE WHEN i % 20 > 0 THEN i END, CASE WHEN i % 20 > 0 THEN i END, CASE WHEN i % 3 = 0 AND i % 20 > 0 THEN 0 END,
      CASE WHEN i % 20 > 0 THEN now() - ($size - i) * interval '20 seconds' END,
      now() + interval '6 days' - i * interval '50 milliseconds', now() - ($size - i) * interval '20 seconds' - interval '1 minute',
      CASE WHEN i <= 10000 AND i % 20 > 0 THEN 'invitation' END, CASE WHEN i <= 10000 AND i % 20 > 0 THEN i END,
      CASE WHEN i <= 10000 AND i % 20 > 0 THEN now() END, CASE WHEN i <= 10000 AND i % 20 > 0 THEN 'CODE' || i END`,
  },
  // Freshly synced: Stripe has none of them, and jobs would ask about each.
  customers: {
    columns: "user_id, stripe_customer_id, synced_at, created_at",
    values: `'user' || i, 'cus_' || i, now() + interval '1 day', now() - i * interval '20 seconds'`,
  },
  stripe_subscriptions: {
    columns: `id, user_id, price_id, tier, status, current_period_start, current_period_end, access_until, started_at,
      canceled_at, ended_at, sync_ticket`,
    values: `'sub_' || i, 'user' || i, 'price_csv_only_monthly', 'basic',
      CASE WHEN i % 5 = 0 THEN 'canceled' ELSE 'active' END, now() - interval '9 days', now() + interval '20 days',
      CASE WHEN i % 5 = 0 THEN now() - interval '1 day' ELSE now() + interval '27 days' END,
      now() - i * interval '20 seconds', CASE WHEN i % 5 = 0 THEN now() - i * interval '19 seconds' END,
      CASE WHEN i % 5 = 0 THEN now() - i * interval '18 seconds' END, i`,
  },
  checkout_attempts: {
    columns: "id, user_id, price_id, success_url, cancel_url, status, check_at, created_at",
    values: `'attempt' || i, 'user' || i, 'price_csv_only_monthly', '', '', 'closed', NULL, now() - i * interval '20 seconds'`,
  },
  stripe_invoices: {
    columns: `id, user_id, subscription_id, number, status, price_id, currency, total, amount_due, amount_paid, created_at,
      paid_at, payment_intent_id, sync_ticket`,
    values: `'in_' || i, 'user' || i, 'sub_' || i, 'N-' || i, 'paid', 'price_csv_only_monthly', 'usd', 299, 299, 299,
      now() - i * interval '20 seconds', now() - i * interval '20 seconds', 'pi_' || i, i`,
  },
  stripe_events: {
    columns: "id, type, created, received_at, handled_at, customer_id",
    values: `'evt_' || i, 'invoice.paid', now() - i * interval '2 seconds', now() - i * interval '2 seconds',
      now() - i * interval '2 seconds', 'cus_' || i`,
  },
  contact_messages: {
    columns: "id, name, email, topic, message, content_hash, created_at, answered_at, answered_by",
    values: `'message' || i, 'Ada ' || i, 'person' || i || '@example.com', 'idea', 'Charts!', 'hash' || i,
      now() - i * interval '20 seconds', CASE WHEN i % 100 > 0 THEN now() END, CASE WHEN i % 100 > 0 THEN 'admin' END`,
  },
  audit_log: {
    columns: "actor, action, subject, after, at",
    values: `'admin' || i % 3 || '@example.com', (ARRAY['promo_code.paused', 'grant.given'])[i % 2 + 1],
      'user:user' || i, '{"active": false}', now() - ($size - i) * interval '20 seconds'`,
  },
  daily_figures: {
    rows: 50_000,
    columns: "day, name, label, value",
    values: `current_date - i % 1000, (ARRAY['signed_up', 'redeemed', 'paid', 'payment_page', 'canceled'])[i / 1000 % 5 + 1],
      CASE WHEN i < 5000 THEN '' ELSE 'CODE' || i / 5000 END, i % 50`,
  },
  page_views: {
    rows: 50_000,
    columns: "day, page, referrer, views",
    values: `current_date - i % 400, (ARRAY['/', '/pricing', '/features'])[i / 400 % 3 + 1],
      CASE WHEN i < 1200 THEN '' ELSE 'host' || i / 1200 || '.example' END, i % 90`,
  },
};
