/**
 * Rows as a site of each version had them, written right after its migration: everything that a later one changes, and one
 * of everything else. A migration that adds a table or a column needs rows here as soon as another follows it.
 */
export const ROWS: Record<string, string> = {
  "0000_initial": `
    INSERT INTO database_purpose (purpose) VALUES ('sandbox');
    INSERT INTO "user" (id, name, email, email_verified, image) VALUES
      ('password', 'Ada Lovelace', 'ada@example.com', true, 'https://example.com/ada.png'),
      ('google', 'Grace', 'grace@example.com', true, NULL),
      ('paying', 'Paul', 'paul@example.com', true, NULL),
      ('late', 'Lata', 'lata@example.com', true, NULL),
      ('leaving', 'Lee', 'lee@example.com', true, NULL),
      ('left', 'Lou', 'lou@example.com', true, NULL),
      ('promo', 'Pam', 'pam@example.com', false, NULL),
      ('given', 'Gil', 'gil@example.com', true, NULL),
      ('buying', 'Bo', 'bo@example.com', true, NULL);
    INSERT INTO account (id, account_id, provider_id, user_id, password, access_token, refresh_token, scope)
      SELECT id, id, 'credential', id, 'salt:hash of ' || id, NULL, NULL, NULL FROM "user" WHERE id <> 'google'
      UNION ALL VALUES ('google', '10987', 'google', 'google', NULL, 'access', 'refresh', 'openid email');
    INSERT INTO session (id, token, user_id, expires_at, ip_address, user_agent)
      SELECT 'session of ' || id, 'token of ' || id, id, now() + interval '7 days', '192.0.2.1', 'Firefox' FROM "user";
    INSERT INTO verification (id, identifier, value, expires_at) VALUES ('1', 'state', 'value', now() + interval '1 hour');
    INSERT INTO products (id, name, description, active, tier, position, sync_ticket) VALUES
      ('prod_basic', 'CSV Only', 'One', true, 'basic', 1, 1), ('prod_premium', 'CSV + Banking', NULL, true, 'premium', 2, 1);
    INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket) VALUES
      ('price_month', 'prod_basic', true, 299, 'usd', 'month', 1),
      ('price_year', 'prod_premium', true, 9900, 'usd', 'year', 1),
      ('price_old', 'prod_basic', false, 199, 'usd', 'month', 1);
    INSERT INTO customers (user_id, stripe_customer_id)
      SELECT id, 'cus_' || id FROM "user" WHERE id IN ('paying', 'late', 'leaving', 'left', 'buying');
    INSERT INTO stripe_subscriptions (id, user_id, price_id, tier, status, current_period_end, cancel_at, started_at, sync_ticket) VALUES
      ('sub_paying', 'paying', 'price_year', 'premium', 'active', now() + interval '200 days', NULL, now() - interval '165 days', 2),
      ('sub_late', 'late', 'price_month', 'basic', 'active', now() - interval '20 minutes', NULL, now() - interval '30 days', 3),
      ('sub_leaving', 'leaving', 'price_month', 'basic', 'active', now() + interval '9 days', now() + interval '9 days', now() - interval '21 days', 4),
      ('sub_left', 'left', 'price_old', 'basic', 'canceled', now() - interval '9 days', NULL, now() - interval '39 days', 5);
    INSERT INTO promo_codes (code, tier, expires_at, max_uses, used_count, duration_type, duration_months, active) VALUES
      ('WELCOME', 'premium', NULL, NULL, 1, 'forever', NULL, true), ('SPRING', NULL, now() + interval '9 days', 5, 1, 'months', 3, true),
      ('OVER', 'basic', now() - interval '9 days', 1, 1, 'months', 1, false);
    INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at, revoked_at) VALUES
      ('forever', 'promo', 'premium', 'promo', 'WELCOME', '9999-12-31', NULL),
      ('also paid', 'paying', 'basic', 'promo', 'SPRING', now() + interval '80 days', NULL),
      ('over', 'left', 'basic', 'promo', 'OVER', now() - interval '1 day', NULL),
      ('given', 'given', 'premium', 'admin', NULL, now() + interval '30 days', NULL),
      ('taken back', 'left', 'premium', 'admin', NULL, now() + interval '30 days', now());
    INSERT INTO checkout_attempts (id, user_id, price_id, success_url, cancel_url, session_id, status, created_at) VALUES
      ('open', 'buying', 'price_year', 'https://a.example/', 'https://b.example/', 'cs_open', 'open', now()),
      ('paid', 'paying', 'price_year', 'https://a.example/', 'https://b.example/', 'cs_paid', 'closed', now() - interval '165 days'),
      ('lost', 'buying', 'price_month', 'https://a.example/', 'https://b.example/', NULL, 'closed', now() - interval '9 days');
    INSERT INTO stripe_events (id, type, created, handled_at) VALUES
      ('evt_done', 'invoice.paid', now() - interval '1 hour', now()), ('evt_waiting', 'invoice.paid', now(), NULL);
    INSERT INTO outbox (kind, payload, done_at, last_error) VALUES
      ('sync_customer', '{"customerId": "cus_paying", "eventId": "evt_waiting"}', NULL, NULL),
      ('sync_customer', '{"customerId": "cus_late", "eventId": "evt_done"}', now(), 'no answer');`,

  "0001_waitlist_and_contact": `
    INSERT INTO waitlist (id, email, name, uses_today, token, referral_code, referred_by, ticket, confirmed_at, confirm_by) VALUES
      ('first', 'first@example.com', 'Fay', 'A notebook', repeat('1', 43), '2222222222', NULL, nextval('waitlist_ticket'), now(), now()),
      ('friend', 'friend@example.com', NULL, NULL, repeat('2', 43), '3333333333', 'first', nextval('waitlist_ticket'), now(), now()),
      ('asked', 'asked@example.com', NULL, NULL, repeat('3', 43), '4444444444', 'first', NULL, NULL, now() + interval '2 days');
    INSERT INTO contact_messages (id, name, email, topic, message, content_hash) VALUES
      ('message', 'Ada', 'ada@example.com', 'idea', 'Could it do this?', 'hash');`,

  "0002_complete_sign_in": `
    INSERT INTO handoffs VALUES ('hash', now() + interval '1 hour');
    INSERT INTO jwks (id, public_key, private_key, alg, crv, expires_at) VALUES
      ('newest', 'public', 'private', 'ES256', 'P-256', NULL), ('older', 'public', 'private', NULL, NULL, now() - interval '9 days');
    INSERT INTO mail_links (token_hash, purpose, user_id, email, expires_at) VALUES
      ('link', 'verify_email', 'promo', 'pam@example.com', now() + interval '1 day');
    INSERT INTO provider_flows (state_hash, provider, intent, user_id, browser_hash, nonce, code_verifier, return_to, expires_at) VALUES
      ('flow', 'google', 'sign_in', NULL, 'browser', 'nonce', 'verifier', '/dashboard', now() + interval '10 minutes');
    INSERT INTO rate_limits VALUES ('sign_in:192.0.2.1', ARRAY[now()], NULL, now() + interval '1 hour');
    UPDATE promo_codes SET used_count = 2 WHERE code = 'WELCOME';
    INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at) VALUES
      ('of a deleted account', NULL, 'premium', 'promo', 'WELCOME', '9999-12-31');`,

  "0003_nothing_lost_nothing_twice": `
    INSERT INTO redeemed_addresses (promo_code, email_hash, grant_id) VALUES ('WELCOME', 'hash', 'of a deleted account');
    INSERT INTO skipped_prices VALUES ('price_day', 'Daily', 'its interval is day');
    INSERT INTO outbox (kind, payload, dedupe_key, claimed_at, attempts) VALUES
      ('notice_owner', '{"email": "ada@example.com"}', 'ada@example.com', NULL, 0),
      ('sync_customer', '{"customerId": "cus_late"}', 'cus_late', now(), 2);`,

  "0005_sessions_of_our_own": `
    INSERT INTO session (id, token_hash, user_id, expires_at, user_agent) VALUES
      ('new session', 'hash', 'password', now() + interval '7 days', 'Firefox');
    INSERT INTO jwks (id, public_key, private_key, alg, expires_at) VALUES
      ('own', 'public', 'private', 'ES256', now() + interval '90 days');`,

  "0006_remember_where_links_lead": `
    INSERT INTO mail_links (token_hash, purpose, user_id, email, expires_at, return_to) VALUES
      ('leads on', 'reset_password', 'password', 'ada@example.com', now() + interval '1 hour', '/subscription');`,

  "0007_plan_life": `
    UPDATE customers SET payment_method_id = 'pm_1', card_brand = 'visa', card_last4 = '4242', card_exp_month = 1,
      card_exp_year = 2031, synced_at = now(), sync_ticket = 9 WHERE user_id = 'paying';
    UPDATE stripe_subscriptions SET current_period_start = started_at, access_until = current_period_end + interval '7 days',
      next_price_id = 'price_month', next_amount = 299 WHERE id = 'sub_paying';
    INSERT INTO plan_changes (subscription_id, user_id, kind, price_id, applied_at) VALUES
      ('sub_paying', 'paying', 'change', 'price_month', now());
    INSERT INTO renewal_consents (id, user_id, price_id, subscription_id, text_version, text) VALUES
      ('paid', 'paying', 'price_year', 'sub_paying', '1', 'I agree');
    INSERT INTO withdrawals (id, user_id, subscription_id, name, email) VALUES
      ('withdrawal', 'left', 'sub_left', 'Lou', 'lou@example.com');
    INSERT INTO stripe_invoices (id, user_id, subscription_id, status, currency, total, amount_due, amount_paid, created_at, paid_at, sync_ticket) VALUES
      ('in_1', 'paying', 'sub_paying', 'paid', 'usd', 9900, 9900, 9900, now() - interval '165 days', now() - interval '165 days', 9);
    INSERT INTO billing_notices (kind, subject, user_id) VALUES ('receipt', 'in_1', 'paying');
    INSERT INTO features VALUES ('csv_processing', now() - interval '1 day'), ('banking_api', NULL);`,

  "0009_console": `
    INSERT INTO audit_log (actor, action, subject, before, after, reason) VALUES
      ('given', 'access.given', 'user:given', NULL, '{"tier": "premium"}', 'A friend');
    INSERT INTO authenticator_apps (user_id, secret, confirmed_at, last_step) VALUES ('given', 'sealed', now(), 58000000);
    INSERT INTO passkeys (id, user_id, name, public_key, transports) VALUES ('key', 'given', 'Laptop', 'public', '{internal}');
    INSERT INTO recovery_codes (user_id, code_hash, used_at) VALUES ('given', 'one', now()), ('given', 'two', NULL);
    INSERT INTO session (id, token_hash, user_id, expires_at, second_factor_at) VALUES
      ('with both factors', 'another', 'given', now() + interval '1 day', now());
    INSERT INTO daily_figures (day, name, label, value) VALUES (current_date - 1, 'sign_ups', '', 3);
    INSERT INTO page_views (day, page, referrer, views) VALUES (current_date - 1, '/', 'search.example', 12);
    INSERT INTO mails (id, recipient, subject, sent_at) VALUES (1, 'ada@example.com', 'Confirm your email', now());
    INSERT INTO mails (id, recipient, subject, given_up_at, failure) VALUES (2, 'x@example.com', 'Hello', now(), 'nobody there');
    INSERT INTO promo_batches (id, name, size, tier, duration_type, duration_months, finished_at) VALUES
      ('batch', 'Fair', 2, 'basic', 'months', 1, now());
    INSERT INTO promo_codes (code, tier, max_uses, duration_type, duration_months, batch_id, starts_at, confirmed_only, note) VALUES
      ('FAIR1', 'basic', 1, 'months', 1, 'batch', now(), true, NULL), ('FAIR2', 'basic', 1, 'months', 1, 'batch', NULL, false, NULL),
      ('INVITED', 'basic', 1, 'months', 1, NULL, NULL, false, 'For the first');
    INSERT INTO waitlist_invitations (id, size, tier, duration_months, finished_at) VALUES ('invitation', 1, 'basic', 1, now());
    UPDATE waitlist SET invitation_id = 'invitation', invitation_position = 1, invited_at = now(), promo_code = 'INVITED' WHERE id = 'first';
    UPDATE contact_messages SET answered_at = now(), answered_by = 'given', answer = 'It can';
    UPDATE grants SET reason = 'A friend' WHERE id = 'given';
    UPDATE stripe_events SET customer_id = 'cus_paying' WHERE id = 'evt_waiting';`,

  "0011_list_single_codes": `
    INSERT INTO promo_codes (code, duration_type, is_single) VALUES ('PERSONAL', 'forever', false);`,

  "0012_running": `
    INSERT INTO processes (id, role, version, host) VALUES ('process', 'all', '0.1.0', 'web-1');
    INSERT INTO erasures (subject, id) VALUES ('user', 'a deleted user');
    INSERT INTO assets (path, type, plain, br) VALUES ('/assets/a-1.js', 'text/javascript', '\\x61', '\\x62');`,

  "0013_backups": `
    INSERT INTO backups (id, finished_at, method, file, bytes, sha256, is_encrypted, checked_at) VALUES
      ('backup', now(), 'dump', 'backup.dump', 123456, 'hash', true, now());`,

  // Far behind the others, so that what came before is counted.
  "0015_waitlist_order": `
    INSERT INTO waitlist (id, email, token, referral_code, referred_by, ticket, confirmed_at, confirm_by) VALUES
      ('late', 'late@example.com', repeat('4', 43), '5555555555', 'friend', 1000, now(), now());`,

  "0016_growth": `
    INSERT INTO standing_sums (name, label, value) VALUES ('revenue', 'usd', 0);
    INSERT INTO standing_changes (name, label, change) VALUES ('revenue', 'usd', 0);
    INSERT INTO plans_to_count (user_id) VALUES ('paying');
    INSERT INTO counted_plans (user_id, label, currency, revenue, changes_at) VALUES
      ('paying', 'premium:paid', 'usd', 825, now() + interval '1 day');`,

  "0020_contact_forms_serve_once": `
    INSERT INTO sent_contact_forms (id, content_hash, expires_at) VALUES ('form', 'hash', now() + interval '1 hour');`,

  "0023_counted_refunds": `
    INSERT INTO counted_refunds (subscription_id, mailbox_hash) VALUES ('sub_left', 'hash');`,

  "0026_hash_waitlist_tokens": `
    INSERT INTO waitlist (id, email, token_hash, referral_code, confirm_by) VALUES
      ('hashed', 'hashed@example.com', repeat('h', 43), '6666666666', now() + interval '2 days');`,

  "0028_codes_once_per_mailbox": `
    INSERT INTO promo_codes (code, duration_type, used_count, once_per_mailbox) VALUES ('EACHONCE', 'forever', 1, true);
    INSERT INTO grants (id, tier, source, promo_code, expires_at, mailbox_hash) VALUES
      ('of a mailbox', 'basic', 'promo', 'EACHONCE', now() + interval '100 years', 'hash of a mailbox');
    UPDATE promo_batches SET once_per_mailbox = true WHERE id = 'batch';`,

  // Emptied by it, and kept until a later one drops them.
  "0031_queue_position": `
    INSERT INTO standing_sums (name, label, value) VALUES ('revenue', 'eur', 0);
    INSERT INTO standing_changes (name, label, change) VALUES ('revenue', 'eur', 0);
    INSERT INTO plans_to_count (user_id) VALUES ('late');`,

  "0033_changelog": `
    INSERT INTO changelog_entries (id, title, day, body, feature, mailed_at) VALUES
      ('entry', 'The first file is read', '2026-11-26', 'It knows five banks.', 'csv_processing', now());
    UPDATE "user" SET product_news_since = now() WHERE id = 'password';
    INSERT INTO changelog_mails (entry_id, user_id) VALUES ('entry', 'password');`,

  "0035_saved_categories": `
    INSERT INTO saved_categories (user_id, categories) VALUES
      ('password', '[{"name": "Sunday shop", "keywords": "kroger, costco"}]');`,

  "0037_photos": `
    INSERT INTO photos (user_id, version, jpeg) VALUES ('password', 'version', '\\xffd8ff');`,

  "0038_about_mails": `
    INSERT INTO mails (id, recipient, subject, about) VALUES (3, 'ada@example.com', 'Receipt', 'receipt:in_1');`,
};
