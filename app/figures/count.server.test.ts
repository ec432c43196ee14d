import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { countFigures } from "./count.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let people: string[];

beforeAll(async () => {
  database = await openDatabase();
  await database.pool.query(`
    INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod', 'CSV Only', true, 'basic', 1);
    INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
    VALUES ('monthly', 'prod', true, 299, 'usd', 'month', 1), ('yearly', 'prod', true, 2999, 'usd', 'year', 1),
      ('euros', 'prod', true, 500, 'eur', 'month', 1);
    INSERT INTO promo_batches (id, name, size, duration_type) VALUES ('fair', 'The fair', 2, 'forever');
    INSERT INTO promo_codes (code, duration_type, max_uses, batch_id)
    VALUES ('SPRING', 'forever', 100, NULL), ('ONLY-ADA', 'forever', 1, NULL), ('FAIR-1', 'forever', 1, 'fair'),
      ('FAIR-2', 'forever', 1, 'fair')`);
});

afterAll(() => database.close());

beforeEach(async () => {
  await database.pool.query(`
    TRUNCATE daily_figures, grants, stripe_subscriptions, stripe_invoices, checkout_attempts, waitlist, customers, "user"
      CASCADE`);
  await createSignedInUsers(database.pool, 6);
  const { rows } = await database.pool.query(`SELECT id FROM "user" ORDER BY id`);
  people = rows.map(({ id }) => id);
});

const count = () => countFigures(database.db, "usd");

/** Time goes on by a minute and some, for the count. */
const later = () =>
  database.pool.query(
    "UPDATE daily_figures SET updated_at = now() - interval '2 minutes' WHERE name = 'counted'",
  );

/** Today's figure, or that of some days ago; 0 when there is none. */
async function figure(name: string, label = "", daysAgo = 0): Promise<number> {
  const { rows } = await database.pool.query(
    "SELECT value::int FROM daily_figures WHERE name = $1 AND label = $2 AND day = (now() AT TIME ZONE 'UTC')::date - $3::int",
    [name, label, daysAgo],
  );
  return rows[0]?.value ?? 0;
}

function give(
  user: string,
  code: string | null,
  { tier = "basic", at = "now()", until = "now() + interval '1 year'" } = {},
) {
  return database.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, ${at}, ${until})`,
    [randomUUID(), user, tier, code ? "promo" : "admin", code],
  );
}

function subscribe(user: string, columns: Record<string, string> = {}) {
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
  return database.pool.query(
    `INSERT INTO stripe_subscriptions (${Object.keys(row)}) VALUES (${Object.values(row)})`,
  );
}

test("who is active is what the view says, and revenue is that of plans that renew", async () => {
  const [paying, yearly, ending, late, promo, both] = people as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await subscribe(paying);
  await subscribe(yearly, { price_id: "'yearly'" });
  await subscribe(ending, {
    cancel_at: "now() + interval '1 month'",
    access_until: "now() + interval '1 month'",
  });
  await subscribe(late, {
    status: "'past_due'",
    current_period_end: "now() - interval '1 day'",
    access_until: "now() + interval '6 days'",
  });
  await give(promo, "SPRING");
  await subscribe(both, { price_id: "'euros'" });
  await give(both, "SPRING", { tier: "premium" });
  await give(paying, null, {
    tier: "basic",
    until: "now() - interval '1 day'",
    at: "now() - interval '1 month'",
  });
  await count();

  const { rows: active } = await database.pool.query(
    "SELECT tier || ':' || source AS label, count(*)::int AS value FROM user_subscriptions GROUP BY 1 ORDER BY 1",
  );
  const { rows: kept } = await database.pool.query(
    "SELECT label, value::int FROM daily_figures WHERE name = 'active' AND value > 0 ORDER BY label",
  );
  expect(kept).toEqual(active);
  expect(kept).toEqual([
    { label: "basic:paid", value: 4 },
    { label: "basic:promo", value: 1 },
    { label: "premium:promo", value: 1 },
  ]);
  const { rows } =
    await database.pool.query(`SELECT currency, round(sum(CASE interval WHEN 'year' THEN unit_amount / 12.0
      ELSE unit_amount END))::int AS value
    FROM held_plans JOIN stripe_subscriptions USING (user_id) JOIN prices ON prices.id = price_id
    WHERE source = 'paid' AND renews GROUP BY currency ORDER BY currency`);
  expect(rows).toEqual([
    { currency: "eur", value: 500 },
    { currency: "usd", value: 299 + 250 },
  ]);
  expect([await figure("revenue", "usd"), await figure("revenue", "eur")]).toEqual([549, 500]);
  expect(await figure("people")).toBe(6);

  await database.pool.query("UPDATE stripe_subscriptions SET access_until = now()");
  await later();
  await count();
  expect([await figure("revenue", "usd"), await figure("active", "basic:paid")]).toEqual([0, 0]);
});

test("each step is counted on its day: of all, by code, and of those whom a link brought", async () => {
  const [ada, grace, mary] = people as [string, string, string];
  await database.pool.query(`INSERT INTO waitlist (id, email, token, referral_code, referred_by, ticket, confirmed_at, confirm_by)
    SELECT 'friend', 'friend@example.com', rpad('f', 43, 'f'), 'friendfrnd', NULL, 1, now() - interval '1 day', now()
    UNION ALL SELECT 'ada', lower(email), rpad('a', 43, 'a'), 'adaadaadaa', 'friend', 2, now(), now() FROM "user"
    WHERE id = '${ada}'`);
  await give(ada, "SPRING", { at: "now() - interval '1 day'" });
  await give(ada, "ONLY-ADA");
  await give(grace, "SPRING");
  await give(grace, "FAIR-1");
  await give(mary, "FAIR-2");
  for (const [id, user] of [
    ["in_1", ada],
    ["in_2", mary],
  ]) {
    await database.pool.query(
      `INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $1) ON CONFLICT DO NOTHING`,
      [user],
    );
    await database.pool.query(
      `INSERT INTO stripe_invoices (id, user_id, status, billing_reason, currency, total, amount_due, amount_paid, created_at,
         paid_at, sync_ticket) VALUES ($1, $2, 'paid', 'subscription_create', 'usd', 299, 0, 299, now(), now(), 1)`,
      [id, user],
    );
  }
  await database.pool.query(
    `INSERT INTO checkout_attempts (id, user_id, price_id, success_url, cancel_url, status, check_at)
     SELECT gen_random_uuid(), $1, 'monthly', '', '', 'closed', settled
     FROM (VALUES (now()), (NULL), (NULL)) AS attempts (settled)`,
    [ada],
  );
  await subscribe(ada, { canceled_at: "now()", started_at: "now() - interval '1 day'" });
  await subscribe(mary, {
    status: "'canceled'",
    ended_at: "now()",
    started_at: "now() - interval '30 days'",
  });
  await subscribe(grace, { status: "'incomplete_expired'", ended_at: "now()" });
  await count();

  const found: Record<string, number> = {};
  const { rows } =
    await database.pool.query(`SELECT (now() AT TIME ZONE 'UTC')::date - day AS ago, name, label, value::int
    FROM daily_figures WHERE name NOT IN ('active', 'revenue', 'people', 'refunds_open', 'counted', 'waiting')`);
  for (const { ago, name, label, value } of rows) found[`${name} ${label} ${ago}`] = value;
  expect(found).toEqual({
    "signed_up  0": 6,
    "signed_up referral 0": 1,
    "joined  0": 2,
    "joined referral 0": 1,
    "confirmed  1": 1,
    "confirmed  0": 1,
    "confirmed referral 0": 1,
    "payment_page  0": 3,
    "payment_page referral 0": 3,
    "payment_page code:SPRING 0": 3,
    "payment_page single 0": 3,
    "paid  0": 2,
    "paid referral 0": 1,
    "paid code:SPRING 0": 1,
    "paid single 0": 1,
    "paid batch:fair 0": 1,
    "redeemed  1": 1,
    "redeemed referral 1": 1,
    "redeemed code:SPRING 1": 1,
    "redeemed  0": 4,
    "redeemed referral 0": 1,
    "redeemed code:SPRING 0": 1,
    "redeemed single 0": 1,
    "redeemed batch:fair 0": 2,
    "canceled  0": 1,
    "canceled referral 0": 1,
    "canceled code:SPRING 0": 1,
    "canceled single 0": 1,
    "plans_begun  1": 1,
    "plans_begun  30": 1,
    "plans_ended  0": 1,
    "amount_paid usd 0": 598,
  });
});

test("counting again changes nothing, and whoever deletes their account has signed up all the same", async () => {
  await count();
  const sums = async () =>
    (
      await database.pool.query(
        "SELECT day, name, label, value FROM daily_figures WHERE name <> 'counted' ORDER BY 1, 2, 3",
      )
    ).rows;
  const before = await sums();
  await later();
  await count();
  expect(await sums()).toEqual(before);
  await database.pool.query(`DELETE FROM "user" WHERE id = $1`, [people[0]]);
  await later();
  await count();
  expect([await figure("signed_up"), await figure("people")]).toEqual([6, 5]);
});

test("it is not counted before its time, and by one process only", async () => {
  await Promise.all([count(), count(), count()]);
  const counted = async () =>
    (await database.pool.query("SELECT xmin::text FROM daily_figures WHERE name = 'counted'")).rows;
  const first = await counted();
  expect(first).toHaveLength(1);
  await count();
  expect(await counted()).toEqual(first);
  await later();
  await count();
  expect(await counted()).not.toEqual(first);
});

test("when counting takes seconds it rests for minutes", async () => {
  await count();
  await later();
  await database.pool.query("UPDATE daily_figures SET value = 5000 WHERE name = 'counted'");
  await count();
  expect(await figure("counted"), "500 seconds have not passed").toBe(5000);
});

test("days that nobody counted are counted once the site runs again", async () => {
  await count();
  await database.pool.query(`
    DELETE FROM daily_figures WHERE name <> 'counted';
    UPDATE daily_figures SET day = day - 60, updated_at = now() - interval '60 days';
    UPDATE "user" SET created_at = now() - interval '61 days'`);
  await count();
  expect(await figure("signed_up", "", 61)).toBe(6);
});
