import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { countFigures } from "./count.server.ts";
import { give, pay, subscribe } from "./plans.fixture.ts";

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

/** Time goes on, for the count. */
const later = (time = "1 hour") =>
  database.pool.query("UPDATE daily_figures SET updated_at = now() - $1::interval WHERE name = 'counted'", [
    time,
  ]);

/** Today's figure, or that of some days ago; 0 when there is none. */
async function figure(name: string, label = "", daysAgo = 0): Promise<number> {
  const { rows } = await database.pool.query(
    "SELECT value::int FROM daily_figures WHERE name = $1 AND label = $2 AND day = (now() AT TIME ZONE 'UTC')::date - $3::int",
    [name, label, daysAgo],
  );
  return rows[0]?.value ?? 0;
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
  await subscribe(database.pool, paying);
  await subscribe(database.pool, yearly, { price_id: "'yearly'" });
  await subscribe(database.pool, ending, {
    cancel_at: "now() + interval '1 month'",
    access_until: "now() + interval '1 month'",
  });
  await subscribe(database.pool, late, {
    status: "'past_due'",
    current_period_end: "now() - interval '1 day'",
    access_until: "now() + interval '6 days'",
  });
  await give(database.pool, promo, "SPRING");
  await subscribe(database.pool, both, { price_id: "'euros'" });
  await give(database.pool, both, "SPRING", { tier: "premium" });
  await give(database.pool, paying, null, {
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
  expect(await figure("revenue", "usd")).toBe(0);
  // A row of its own: the last one of a week is the week's.
  const { rows: ended } = await database.pool.query(
    "SELECT label FROM daily_figures WHERE name = 'active' AND value = 0 ORDER BY label",
  );
  expect(ended.map(({ label }) => label).join()).toBe("basic:admin,basic:paid,premium:admin,premium:paid");
});

test("each step is counted on its day: of all, by code, and of those whom a link brought", async () => {
  const [ada, grace, mary] = people as [string, string, string];
  await database.pool.query(`INSERT INTO waitlist (id, email, token, referral_code, referred_by, ticket, confirmed_at, confirm_by)
    SELECT 'friend', 'friend@example.com', rpad('f', 43, 'f'), 'friendfrnd', NULL, 1, now() - interval '1 day', now()
    UNION ALL SELECT 'ada', lower(email), rpad('a', 43, 'a'), 'adaadaadaa', 'friend', 2, now(), now() FROM "user"
    WHERE id = '${ada}'`);
  await give(database.pool, ada, "SPRING", { at: "now() - interval '1 day'" });
  await give(database.pool, ada, "ONLY-ADA");
  await give(database.pool, grace, "SPRING");
  await give(database.pool, grace, "FAIR-1");
  await give(database.pool, mary, "FAIR-2");
  await pay(database.pool, ada);
  await pay(database.pool, mary);
  await database.pool.query(
    `INSERT INTO checkout_attempts (id, user_id, price_id, success_url, cancel_url, status, check_at)
     SELECT gen_random_uuid(), $1, 'monthly', '', '', 'closed', settled
     FROM (VALUES (now()), (NULL), (NULL)) AS attempts (settled)`,
    [ada],
  );
  await subscribe(database.pool, ada, { canceled_at: "now()", started_at: "now() - interval '1 day'" });
  await subscribe(database.pool, mary, {
    status: "'canceled'",
    ended_at: "now()",
    started_at: "now() - interval '30 days'",
  });
  await subscribe(database.pool, grace, { status: "'incomplete_expired'", ended_at: "now()" });
  await database.pool.query(`TRUNCATE page_views; INSERT INTO page_views (day, page, referrer, views)
    SELECT (now() AT TIME ZONE 'UTC')::date, page, host, views
    FROM (VALUES ('/', '', 5), ('/pricing', '', 2), ('/pricing', 'friend.example', 40), ('/try-it', 'friend.example', 9)) AS seen (page, host, views)
    UNION ALL SELECT (now() AT TIME ZONE 'UTC')::date - 1, '/', i || '.example', i FROM generate_series(1, 40) AS i`);
  await count();

  const found: Record<string, number> = {};
  const { rows } =
    await database.pool.query(`SELECT (now() AT TIME ZONE 'UTC')::date - day AS ago, name, label, value::int
    FROM daily_figures WHERE name NOT IN ('active', 'revenue', 'people', 'refunds_open', 'counted', 'waiting')`);
  for (const { ago, name, label, value } of rows) found[`${name} ${label} ${ago}`] = value;
  const named = Object.keys(found).filter((key) => /^views host:.* 1$/.test(key));
  expect(named).toHaveLength(30);
  expect(named).not.toContain("views host:10.example 1");
  for (const key of named) delete found[key];
  expect(found).toEqual({
    "views  1": 820,
    "views page:/ 1": 820,
    "tried  0": 9,
    "views  0": 47,
    "views page:/ 0": 5,
    "views page:/pricing 0": 42,
    "views host: 0": 7,
    "views host:friend.example 0": 40,
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
  });
});

test("counting again changes nothing, and a deleted account still counts as a sign-up", async () => {
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
  await database.pool.query(`
    CREATE TABLE times_counted (at timestamptz);
    CREATE FUNCTION note_count() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO times_counted VALUES (now()); RETURN NULL; END $$;
    CREATE TRIGGER note_count AFTER INSERT OR UPDATE ON daily_figures FOR EACH ROW WHEN (NEW.name = 'people')
      EXECUTE FUNCTION note_count()`);
  const times = async () => (await database.pool.query("SELECT FROM times_counted")).rowCount;
  await Promise.all([count(), count(), count()]);
  expect(await times()).toBe(1);
  await count();
  expect(await times()).toBe(1);
  await later();
  expect(await times(), "that was this test").toBe(1);
  await Promise.all([count(), count()]);
  expect(await times()).toBe(2);
});

test("days without a running site are counted once it runs again", async () => {
  await count();
  await database.pool.query(`
    DELETE FROM daily_figures WHERE name <> 'counted';
    UPDATE daily_figures SET day = day - 60, updated_at = now() - interval '60 days';
    UPDATE "user" SET created_at = now() - interval '61 days'`);
  await count();
  expect(await figure("signed_up", "", 61)).toBe(6);
});
