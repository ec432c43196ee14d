import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../test/database.ts";
import { SITE } from "../../../test/site.ts";
import { createSignedInUser } from "../../../test/users.ts";
import { sendTimedNotices } from "./timed.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
  await database.pool.query(
    `INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('csv', 'CSV Only', true, 'basic', 1),
       ('both', 'CSV + Banking', false, 'premium', 1);
     INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
     VALUES ('csv_monthly', 'csv', true, 299, 'usd', 'month', 1), ('both_monthly', 'both', true, 499, 'usd', 'month', 1),
       ('both_yearly', 'both', false, 4999, 'usd', 'year', 1)`,
  );
});

afterAll(() => database.close());

/** Times as intervals from now: "3 days", "-1 hour". */
interface Subscription {
  price?: string;
  status?: string;
  nextPayment?: string | null;
  amount?: number;
  cancel?: string | null;
  asked?: string;
  card?: [year: number, month: number];
}

/** A user with a subscription, and the subjects of the mails they got. */
async function subscriber({
  price = "both_yearly",
  status = "active",
  nextPayment = null,
  amount = 4999,
  cancel = null,
  asked = "-30 days",
  card = [2099, 12],
}: Subscription = {}) {
  const { id } = await createSignedInUser(database.pool);
  await database.pool.query(
    `WITH customer AS (
       INSERT INTO customers (user_id, stripe_customer_id, payment_method_id, card_brand, card_last4, card_exp_year,
         card_exp_month) VALUES ($1, $1, 'pm_' || $1, 'visa', '4242', $8, $9)
     )
     INSERT INTO stripe_subscriptions (id, user_id, price_id, tier, status, current_period_end, access_until, cancel_at,
       canceled_at, next_amount, next_payment_at, started_at, sync_ticket)
     SELECT 'sub_' || $1, $1, $2, tier, $3, coalesce(now() + $6::interval, now() + $4::interval, now() + interval '1 year'),
       coalesce(now() + $6::interval, now() + interval '1 year 7 days'), now() + $6::interval,
       CASE WHEN $6::interval IS NOT NULL THEN now() + $7::interval END,
       CASE WHEN $4::interval IS NOT NULL THEN $5::int END, now() + $4::interval, now() - interval '1 year', 1
     FROM products WHERE products.id = (SELECT product_id FROM prices WHERE prices.id = $2)`,
    [id, price, status, nextPayment, amount, cancel, asked, ...card],
  );
  return id;
}

async function give(userId: string, tier: string, until: string, since = "-30 days"): Promise<void> {
  await database.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, created_at, expires_at)
     VALUES ($1, $2, $3, 'admin', now() + $4::interval, now() + $5::interval)`,
    [randomUUID(), userId, tier, since, until],
  );
}

const sweep = () => sendTimedNotices(database.db, SITE);

async function mailsTo(userId: string): Promise<{ subject: string; text: string }[]> {
  const { rows } = await database.pool.query(
    `SELECT payload ->> 'subject' AS subject, payload ->> 'text' AS text FROM outbox
     WHERE kind = 'send_mail' AND payload ->> 'to' = (SELECT email FROM "user" WHERE id = $1) ORDER BY id`,
    [userId],
  );
  return rows.map((row) => ({ ...row, text: row.text.replaceAll(/\s+/g, " ") }));
}

const subjects = async (userId: string) => (await mailsTo(userId)).map(({ subject }) => subject);

test("a yearly renewal is announced 14 days before, once, by however many processes", async () => {
  const [soon, later, monthly] = await Promise.all([
    subscriber({ nextPayment: "13 days 23 hours" }),
    subscriber({ nextPayment: "14 days 1 hour" }),
    subscriber({ nextPayment: "10 days", price: "both_monthly" }),
  ]);
  await Promise.all([sweep(), sweep(), sweep()]);
  await sweep();
  const [mail, ...more] = await mailsTo(soon);
  expect(mail?.subject).toMatch(/^CSV \+ Banking renews on \w+ \d+, \d{4}, \d+:\d\d [AP]M UTC, or later$/);
  expect(mail?.text).toMatch(/renews on [^.]* UTC, plus the days until CSV Processing opens\. We’ll charge/);
  expect(mail?.text).toContain("We’ll charge $49.99 to your Visa ending in 4242.");
  expect(more).toEqual([]);
  expect([await subjects(later), await subjects(monthly)]).toEqual([[], []]);
});

test("the end of a trial is announced 7 days before", async () => {
  const person = await subscriber({
    status: "trialing",
    price: "csv_monthly",
    nextPayment: "6 days",
    amount: 299,
  });
  await sweep();
  await sweep();
  expect(await subjects(person)).toEqual([expect.stringMatching(/^Your free trial of CSV Only ends on/)]);
});

test("the moment a plan ends is named in the zone of its owner, or in UTC", async () => {
  const [here, nowhere] = [await createSignedInUser(database.pool), await createSignedInUser(database.pool)];
  await database.pool.query(`UPDATE "user" SET time_zone = 'Pacific/Kiritimati' WHERE id = $1`, [here.id]);
  for (const { id } of [here, nowhere]) await give(id, "basic", "2 days");
  await sweep();
  expect(await subjects(here.id)).toEqual([
    expect.stringMatching(/^CSV Only ends on \w+ \d+, \d{4}, \d+:\d\d [AP]M GMT\+14, or later$/),
  ]);
  expect(await subjects(nowhere.id)).toEqual([
    expect.stringMatching(/^CSV Only ends on \w+ \d+, \d{4}, \d+:\d\d [AP]M UTC, or later$/),
  ]);
});

test("a card that will be too old for the next payment is told of, within 30 days of it", async () => {
  const now = new Date();
  const month = (offset: number): [number, number] => {
    const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
    return [day.getUTCFullYear(), day.getUTCMonth() + 1];
  };
  const price = "both_monthly";
  const [old, good, far, free] = await Promise.all([
    subscriber({ price, nextPayment: "29 days", card: month(-1) }),
    subscriber({ price, nextPayment: "29 days", card: month(2) }),
    subscriber({ price, nextPayment: "31 days", card: month(-1) }),
    subscriber({ price, nextPayment: "29 days", card: month(-1), amount: 0 }),
  ]);
  await Promise.all([sweep(), sweep()]);
  expect(await subjects(old)).toEqual(["Your card expires before your next payment"]);
  expect([await subjects(good), await subjects(far), await subjects(free)]).toEqual([[], [], []]);
});

test("access that ends in three days is told of, paid or given, once", async () => {
  const [paid, later, givenTo] = [
    await subscriber({ cancel: "2 days 23 hours" }),
    await subscriber({ cancel: "3 days 1 hour" }),
    (await createSignedInUser(database.pool)).id,
  ];
  await give(givenTo, "basic", "2 days");
  await Promise.all([sweep(), sweep()]);
  await sweep();
  expect(await subjects(paid)).toEqual([expect.stringMatching(/^CSV \+ Banking ends on/)]);
  expect(await subjects(later)).toEqual([]);
  const [mail, ...more] = await mailsTo(givenTo);
  expect(mail?.subject).toMatch(/^CSV Only ends on/);
  expect(mail?.text).toContain("Nothing is charged");
  expect(more).toEqual([]);
});

test("not when something at least as good follows, but when something lesser does", async () => {
  const [renewing, better, lesser] = [
    await subscriber(),
    await subscriber({ cancel: "2 days" }),
    await subscriber({ cancel: "2 days" }),
  ];
  await give(renewing, "basic", "2 days");
  await give(better, "premium", "40 days");
  await give(lesser, "basic", "40 days");
  await sweep();
  expect([await subjects(renewing), await subjects(better)]).toEqual([[], []]);
  expect(await subjects(lesser)).toHaveLength(1);
});

test("not to those who were told the day a moment before", async () => {
  const [canceled, redeemed] = [
    await subscriber({ cancel: "2 days", asked: "-5 minutes" }),
    (await createSignedInUser(database.pool)).id,
  ];
  await give(redeemed, "basic", "2 days", "-5 minutes");
  await sweep();
  expect([await subjects(canceled), await subjects(redeemed)]).toEqual([[], []]);
});
