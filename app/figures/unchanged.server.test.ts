import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onCluster, openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { countFigures, type LastCount } from "./count.server.ts";
import { give, pay, subscribe } from "./plans.fixture.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let people: string[];
const last: LastCount = { writes: null };

beforeAll(async () => {
  database = await openDatabase();
  await writing(async (pool) => {
    people = (await createSignedInUsers(pool, 4)).map(({ id }) => id);
    await pool.query(`
      INSERT INTO promo_codes (code, duration_type, max_uses) VALUES ('SPRING', 'forever', 100);
      INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod', 'CSV Only', true, 'basic', 1);
      INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
      VALUES ('monthly', 'prod', true, 299, 'usd', 'month', 1)`);
    await subscribe(pool, people[3] ?? "", { id: "'sub'" });
  });
});

afterAll(() => database.close());

/** Writes over a connection that then ends: PostgreSQL's statistics tell of it at once, rather than some seconds later. */
async function writing(write: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pool = new Pool({ connectionString: database.url, max: 1 });
  const { rows } = await pool.query("SELECT pg_backend_pid() AS pid");
  await write(pool);
  await pool.end();
  const isGone = async () =>
    (await onCluster(`SELECT FROM pg_stat_activity WHERE pid = ${rows[0].pid}`)) === 0;
  await eventually(isGone, "the connection has ended");
}

/** Counts once it is time. @returns whether anything was counted, rather than noted to be as it was */
async function counts(): Promise<boolean> {
  await database.pool.query(`
    UPDATE daily_figures SET updated_at = now() - interval '6 minutes' WHERE name = 'counted';
    UPDATE daily_figures SET value = 99 WHERE name = 'people'`);
  await countFigures(database.db, "usd", () => false, last);
  const { rows } = await database.pool.query(`
    SELECT value::int AS people, (SELECT updated_at > now() - interval '1 minute' FROM daily_figures
      WHERE name = 'counted' ORDER BY day DESC LIMIT 1) AS "isNoted"
    FROM daily_figures WHERE name = 'people' ORDER BY day DESC LIMIT 1`);
  expect(rows[0]?.isNoted).toBe(true);
  return rows[0]?.people !== 99;
}

async function expectCounted(): Promise<void> {
  expect(await counts()).toBe(true);
  expect(await counts(), "and not a second time").toBe(false);
}

const active = async (label: string) =>
  (
    await database.pool.query(
      "SELECT value::int FROM daily_figures WHERE name = 'active' AND label = $1 ORDER BY day DESC LIMIT 1",
      [label],
    )
  ).rows[0]?.value;

test("while nobody writes it is only noted that the figures still hold", expectCounted);

test.each<[string, (pool: Pool) => Promise<unknown>]>([
  ["somebody signs up", (pool) => createSignedInUsers(pool, 1)],
  ["an account is deleted", (pool) => pool.query(`DELETE FROM "user" WHERE id = $1`, [people[2]])],
  ["somebody redeems a code", (pool) => give(pool, people[0] ?? "", "SPRING")],
  ["a code changes", (pool) => pool.query("UPDATE promo_codes SET max_uses = 1 WHERE code = 'SPRING'")],
  ["a payment page is opened", openPaymentPage],
  ["somebody pays", (pool) => pay(pool, people[3] ?? "")],
  [
    "a plan is cancelled",
    (pool) => pool.query("UPDATE stripe_subscriptions SET canceled_at = now() WHERE id = 'sub'"),
  ],
  ["a refund is asked for", (pool) => askForRefund(pool, "now()")],
  ["a price changes", (pool) => pool.query("UPDATE prices SET unit_amount = 399")],
  ["a product changes", (pool) => pool.query("UPDATE products SET tier = 'premium'")],
  [
    "somebody joins the waitlist",
    (pool) =>
      pool.query(`INSERT INTO waitlist (id, email, token, referral_code, confirm_by)
        VALUES ('1', 'ada@example.com', rpad('2', 43, 'x'), rpad('2', 10, 'x'), now())`),
  ],
  [
    "a page is seen",
    (pool) =>
      pool.query(
        "INSERT INTO page_views (day, page, referrer, views) VALUES ((now() AT TIME ZONE 'UTC')::date, '/', '', 1)",
      ),
  ],
])("when %s, everything is counted once more", async (_what, write) => {
  await writing(write);
  await expectCounted();
});

function openPaymentPage(pool: Pool) {
  return pool.query(
    `INSERT INTO checkout_attempts (id, user_id, price_id, success_url, cancel_url, status)
     VALUES (gen_random_uuid(), $1, 'monthly', '', '', 'open')`,
    [people[1]],
  );
}

function askForRefund(pool: Pool, requestedAt: string) {
  return pool.query(
    `INSERT INTO plan_changes (subscription_id, user_id, kind, requested_at) VALUES ('sub', $1, 'refund', ${requestedAt})
     ON CONFLICT (subscription_id) DO UPDATE SET requested_at = excluded.requested_at`,
    [people[3]],
  );
}

test("a plan that ends by itself is counted", async () => {
  await writing((pool) => give(pool, people[1] ?? "", "SPRING", { until: "now() + interval '2 seconds'" }));
  await expectCounted();
  const before = await active("basic:promo");
  await sleep(2_000);
  await expectCounted();
  expect(await active("basic:promo")).toBe(before - 1);
});

test("a refund that gets late is counted, each time until Stripe has it", async () => {
  await writing((pool) => askForRefund(pool, "now() - interval '1 hour' + interval '2 seconds'"));
  await expectCounted();
  await sleep(2_000);
  expect([await counts(), await counts()]).toEqual([true, true]);
  await writing((pool) =>
    pool.query("UPDATE plan_changes SET applied_at = now() WHERE subscription_id = 'sub'"),
  );
  await expectCounted();
});

test.each([
  ["it is another day", "UPDATE daily_figures SET day = day - 1"],
  ["the sums were deleted, to have everything counted anew", "DELETE FROM standing_sums"],
  [
    "a count has come no further than what changed",
    "INSERT INTO standing_changes (name, label, change) VALUES ('active', 'basic:promo', 0)",
  ],
  [
    "a count has not come to everybody whose plans changed",
    `INSERT INTO plans_to_count (user_id) SELECT id FROM "user" LIMIT 1`,
  ],
])("when %s, it is counted although nobody writes", async (_what, statement) => {
  await database.pool.query(statement);
  await expectCounted();
});

test("another process, which remembers nothing, counts for itself", async () => {
  last.writes = null;
  await expectCounted();
});
