import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { beginAt, openBrowser } from "../../test/browser.ts";
import { allJobsDone, call, checkoutOf, eventually, pay, postForm } from "../../test/http.ts";
import { makePhoto, uploadPhoto } from "../../test/photos.ts";
import type { TestServer } from "../../test/server.ts";
import { connectProvider, type Person, verify } from "../../test/users.ts";

/** Uses every feature with this person's session and waits for the jobs. @returns strings that would identify them anywhere */
export async function leaveTracesEverywhere(server: TestServer, person: Person): Promise<string[]> {
  const [name, query] = [`Ada ${randomUUID()}`, randomUUID()];
  const photo = `https://photos.example/${randomUUID()}.jpg`;
  const wanted = `${randomUUID()}@example.com`;
  await verify(server, person);
  const connection = await connectProvider(server, person, "google");
  await postForm(server, "/account", { name, photo }, person.cookie);
  expect((await uploadPhoto(server, person.cookie, await makePhoto())).status).toBe(303);
  await server.pool.query(
    `UPDATE "user" SET ending_told_at = now(), time_zone = 'Pacific/Kiritimati', product_news_since = now() WHERE id = $1`,
    [person.id],
  );
  await postForm(server, "/account/email", { email: wanted }, person.cookie);
  await postForm(server, "/test-promo", { form: "promo", code: "WELCOME" }, person.cookie);
  await beginAt(openBrowser(server, person.cookie), "google", {
    intent: "confirm",
    return_to: `/account?${query}`,
  });
  const checkout = { ...checkoutOf(server), cancel_url: `${server.origin}/subscription?${query}` };
  const { result } = (await (await call(server, checkout, person.cookie)).json()) as {
    result: { url: string };
  };
  await pay(result.url);
  await eventually(
    async () =>
      (await server.pool.query("SELECT FROM stripe_subscriptions WHERE user_id = $1", [person.id]))
        .rowCount === 1,
    "the subscription",
  );
  await server.pool.query(
    `WITH entry AS (INSERT INTO changelog_entries (id, title, day, body) VALUES ($1, 'News', current_date, 'Some')
       RETURNING id) INSERT INTO changelog_mails (entry_id, user_id) SELECT id, $2 FROM entry`,
    [randomUUID(), person.id],
  );
  await postForm(
    server,
    "/dashboard/categories",
    { category_1: name, keywords_1: `kroger, ${query}` },
    person.cookie,
  );
  // A running sync would overwrite what is written below.
  await allJobsDone(server);
  await postForm(server, "/waitlist", { email: person.email, name, uses_today: `A spreadsheet ${query}` });
  await server.pool.query(
    `INSERT INTO contact_messages (id, name, email, topic, message, content_hash, answered_at, answered_by, answer)
     VALUES ($1, $2, $3, 'idea', 'Charts!', $1, now(), 'admin@example.com', 'They are on our list.')`,
    [randomUUID(), name, person.email],
  );
  await server.pool.query(
    "UPDATE mails SET given_up_at = now(), failure = 'the address does not exist' WHERE recipient = $1",
    [person.email],
  );
  await server.pool.query(
    `WITH place AS (UPDATE waitlist SET confirmed_at = now(), ticket = nextval('waitlist_ticket'),
       uses_today = $2, invited_at = now(), promo_code = 'WELCOME' WHERE email = $3),
     subscription AS (UPDATE stripe_subscriptions SET cancel_at = current_period_end, trial_end = started_at, days_given = 3, is_taxed = true,
       canceled_at = now(), ended_at = now(), pause_behavior = 'void', resumes_at = now(), next_price_id = price_id,
       schedule_id = 'sub_sched_' || $2, next_amount = 299, next_payment_at = now() WHERE user_id = $1),
     customer AS (UPDATE customers SET payment_method_id = 'pm_' || $2, card_brand = 'visa', card_last4 = '4242',
       card_exp_month = 12, card_exp_year = 2099 WHERE user_id = $1),
     invoice AS (UPDATE stripe_invoices SET description = $2, next_attempt_at = now(), dispute_status = 'won',
       decline_code = 'insufficient_funds', tax = 1, refund_failed = 1, refund_failure = 'unknown', refund_failed_at = now()
       WHERE user_id = $1),
     change AS (INSERT INTO plan_changes (subscription_id, user_id, kind, price_id, proration_date, reason, comment,
       applied_at) SELECT id, $1, 'change', price_id, now(), 'unused', $2, now() FROM stripe_subscriptions
       WHERE user_id = $1),
     consent AS (INSERT INTO renewal_consents (id, user_id, price_id, subscription_id, text_version, text)
       SELECT 'consent ' || $2, $1, price_id, id, '1', 'It renews.' FROM stripe_subscriptions WHERE user_id = $1
       ON CONFLICT DO NOTHING),
     withdrawal AS (INSERT INTO withdrawals (id, user_id, subscription_id, name, email)
       SELECT 'withdrawal ' || $2, $1, id, $2, $3 FROM stripe_subscriptions WHERE user_id = $1),
     attempt AS (UPDATE checkout_attempts SET returned_at = now() WHERE user_id = $1),
     address AS (INSERT INTO redeemed_addresses (promo_code, email_hash, grant_id)
       SELECT promo_code, 'hash of their former address', id FROM grants WHERE user_id = $1),
     app AS (INSERT INTO authenticator_apps (user_id, secret, confirmed_at) VALUES ($1, 'sealed', now())),
     passkey AS (INSERT INTO passkeys (id, user_id, name, public_key, transports, last_used_at)
       VALUES ('key ' || $2, $1, $2, 'public', '{usb}', now())),
     code AS (INSERT INTO recovery_codes (user_id, code_hash, used_at) VALUES ($1, 'hash', now())),
     shown AS (UPDATE session SET second_factor_at = now() WHERE user_id = $1),
     flow AS (UPDATE provider_flows SET used_at = now(), outcome = 'ok' WHERE user_id = $1),
     grant_ended AS (UPDATE grants SET revoked_at = now(), days_given = 3, reason = $2, mailbox_hash = md5(id)
       WHERE user_id = $1)
     UPDATE mail_links SET used_at = now(), return_to = '/subscription' WHERE user_id = $1 AND purpose = 'verify_email'`,
    [person.id, `A spreadsheet ${query}`, person.email],
  );
  const { rows } = await server.pool.query(
    `SELECT stripe_customer_id AS id FROM customers WHERE user_id = $1
     UNION ALL SELECT id FROM stripe_subscriptions WHERE user_id = $1
     UNION ALL SELECT id FROM stripe_invoices WHERE user_id = $1
     UNION ALL SELECT session_id FROM checkout_attempts WHERE user_id = $1
     UNION ALL SELECT id FROM checkout_attempts WHERE user_id = $1
     UNION ALL SELECT id FROM session WHERE user_id = $1`,
    [person.id],
  );
  expect(rows.length).toBeGreaterThanOrEqual(5);
  const { id, email } = person;
  return [id, email, wanted, name, photo, query, connection, ...rows.map(({ id }) => id)];
}

/** The database columns that contain one of these strings anywhere in their text. */
export async function tracesOf(server: TestServer, needles: string[]): Promise<string[]> {
  const { rows: columns } = await server.pool.query(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name, ordinal_position`,
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const { rowCount } = await server.pool.query(
      `SELECT FROM "${table}" WHERE EXISTS (
         SELECT FROM unnest($1::text[]) AS needle WHERE strpos(lower("${column}"::text), lower(needle)) > 0
       ) LIMIT 1`,
      [needles],
    );
    if (rowCount) found.push(`${table}.${column}`);
  }
  return found;
}
