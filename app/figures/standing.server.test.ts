import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { findViolations } from "../db/invariants.server.ts";
import { give, subscribe } from "./plans.fixture.ts";
import { addUpChanges, countAnew, countChangedPlans, isCounted } from "./standing.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const never = () => false;

beforeAll(async () => {
  database = await openDatabase();
  await database.pool.query(`
    INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod', 'CSV Only', true, 'basic', 1);
    INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
    VALUES ('monthly', 'prod', true, 299, 'usd', 'month', 1), ('yearly', 'prod', true, 2999, 'usd', 'year', 1)`);
});

afterAll(() => database.close());

/** A person with a plan of each kind, one whose end is near, and somebody on the waitlist. */
async function grow(): Promise<string[]> {
  const people = await createSignedInUsers(database.pool, 5);
  const [paying = "", yearly = "", given = "", ending = ""] = people.map(({ id }) => id);
  await database.pool.query(
    "INSERT INTO customers (user_id, stripe_customer_id) SELECT id, id FROM unnest($1::text[]) AS id",
    [[paying, yearly]],
  );
  await subscribe(database.pool, paying);
  await subscribe(database.pool, yearly, { price_id: "'yearly'" });
  await give(database.pool, given, null, { tier: "premium" });
  await give(database.pool, given, null);
  await give(database.pool, ending, null, { until: "now() + interval '300 milliseconds'" });
  await database.pool.query(
    `INSERT INTO waitlist (id, email, token, referral_code, referred_by, ticket, confirmed_at, confirm_by)
     SELECT id, id || '@example.com', rpad(id, 43, 'x'), translate(left(md5(id), 10), '01', 'gh'),
       (SELECT id FROM waitlist LIMIT 1), nextval('waitlist_ticket'), now(), now() FROM unnest($1::text[]) AS id`,
    [[paying, yearly]],
  );
  return people.map(({ id }) => id);
}

async function sums(): Promise<Record<string, number>> {
  const { rows } = await database.pool.query(
    "SELECT name || ' ' || label AS key, value::float8 AS value FROM standing_sums WHERE value <> 0",
  );
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/** What breaks a rule about what is counted. */
async function violations(): Promise<string[]> {
  const client = await database.pool.connect();
  const found = await findViolations(client).finally(() => client.release());
  return found.map(({ rule }) => rule).filter((rule) => rule.startsWith("once counted"));
}

test("what is written while all is counted is counted once", async () => {
  await grow();
  let isGrowing = true;
  const growing = (async () => {
    while (isGrowing) await grow();
  })();
  expect(await isCounted(database.db)).toBe(false);
  expect(await countAnew(database.db, never)).toBe(true);
  expect(await isCounted(database.db)).toBe(true);
  isGrowing = false;
  await growing;
  expect(await violations()).toEqual([]);
  await countChangedPlans(database.db, never);
  await addUpChanges(database.db, never);
  expect(await violations()).toEqual([]);
  const { rows } = await database.pool.query(`SELECT count(*)::int AS people FROM "user"`);
  expect((await sums())["people "]).toBe(rows[0].people);
});

test("an account that is deleted while it is counted is left out, and all others are counted", async () => {
  const [, , , deleted] = await grow();
  await database.pool.query("DELETE FROM standing_sums; DELETE FROM counted_plans");
  await give(database.pool, deleted ?? "", null);
  const client = await database.pool.connect();
  await client.query("BEGIN");
  await client.query(`DELETE FROM "user" WHERE id = $1`, [deleted]);
  const counting = countAnew(database.db, never);
  const waitsForIt =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(async () => (await client.query(waitsForIt)).rowCount).toBe(1);
  await client.query("COMMIT");
  client.release();
  expect(await counting).toBe(true);
  await addUpChanges(database.db, never);
  expect(await violations()).toEqual([]);
});

test("deleting the sums has everything counted anew, from whatever was counted before", async () => {
  await grow();
  // Between the two counts no plan may end by itself.
  const ending = "SELECT FROM grants WHERE expires_at BETWEEN now() AND now() + interval '1 minute'";
  await expect.poll(async () => (await database.pool.query(ending)).rowCount).toBe(0);
  expect(await countAnew(database.db, never)).toBe(true);
  await addUpChanges(database.db, never);
  const before = await sums();
  expect(before["active basic:paid"]).toBeGreaterThan(0);
  await database.pool.query("DELETE FROM standing_sums");
  expect(await countAnew(database.db, never)).toBe(true);
  await addUpChanges(database.db, never);
  expect(await sums()).toEqual(before);
  expect(await violations()).toEqual([]);
});

test("every change of a plan is counted, by whatever way it comes, and only those who changed are looked at", async () => {
  const people = await grow();
  await countChangedPlans(database.db, never);
  await addUpChanges(database.db, never);
  const before = await sums();
  const [paying, yearly, given] = people;
  await database.pool.query("UPDATE stripe_subscriptions SET access_until = now() WHERE user_id = $1", [
    paying,
  ]);
  await database.pool.query("UPDATE stripe_subscriptions SET price_id = 'monthly' WHERE user_id = $1", [
    yearly,
  ]);
  await database.pool.query("UPDATE grants SET revoked_at = now() WHERE user_id = $1 AND tier = 'premium'", [
    given,
  ]);
  await database.pool.query("DELETE FROM waitlist WHERE id = $1", [paying]);
  await database.pool.query(`DELETE FROM "user" WHERE id = $1`, [people[4]]);
  const { rows } = await database.pool.query(
    "SELECT count(DISTINCT user_id)::int AS count FROM plans_to_count",
  );
  expect(rows).toEqual([{ count: 3 }]);
  await countChangedPlans(database.db, never);
  await addUpChanges(database.db, never);
  expect(await violations()).toEqual([]);
  const after = await sums();
  const difference = (key: string) => (after[key] ?? 0) - (before[key] ?? 0);
  expect(difference("people ")).toBe(-1);
  expect(difference("waiting ")).toBe(-1);
  expect(difference("active premium:admin")).toBe(-1);
  expect(difference("active basic:paid")).toBe(-1);
  expect(difference("revenue usd")).toBeCloseTo(-2999 / 12, 6);
});

test("a sync that changes nothing leaves nothing to count", async () => {
  await grow();
  await countChangedPlans(database.db, never);
  await database.pool.query(
    "UPDATE stripe_subscriptions SET sync_ticket = sync_ticket + 1, updated_at = now()",
  );
  expect((await database.pool.query("SELECT FROM plans_to_count")).rowCount).toBe(0);
});

test("a plan that ends by itself is counted out, and whoever deletes their account with it", async () => {
  const people = await grow();
  await countChangedPlans(database.db, never);
  await expect
    .poll(async () => {
      await countChangedPlans(database.db, never);
      const { rowCount } = await database.pool.query("SELECT FROM counted_plans WHERE user_id = $1", [
        people[3],
      ]);
      return rowCount;
    })
    .toBe(0);
  await database.pool.query(`DELETE FROM "user" WHERE id = $1`, [people[2]]);
  expect(
    (await database.pool.query("SELECT FROM counted_plans WHERE user_id = $1", [people[2]])).rowCount,
  ).toBe(0);
  await addUpChanges(database.db, never);
  expect(await violations()).toEqual([]);
});
