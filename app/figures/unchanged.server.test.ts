import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { countFigures, type LastCount } from "./count.server.ts";
import { give, subscribe } from "./plans.fixture.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let people: string[];
const last: LastCount = { writes: null };

beforeAll(async () => {
  database = await openDatabase();
  people = (await createSignedInUsers(database.pool, 3)).map(({ id }) => id);
  await database.pool.query(`
    INSERT INTO promo_codes (code, duration_type, max_uses) VALUES ('SPRING', 'forever', 100);
    INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod', 'CSV Only', true, 'basic', 1);
    INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
    VALUES ('monthly', 'prod', true, 299, 'usd', 'month', 1)`);
});

afterAll(() => database.close());

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

/** PostgreSQL tells its statistics of a write some seconds later. */
const settled = () =>
  eventually(async () => !(await counts()), "nothing is counted again while nobody writes");

test("while nobody writes it is only noted that the figures still hold", async () => {
  expect(await counts()).toBe(true);
  await settled();
});

test.each([
  ["somebody signs up", () => createSignedInUsers(database.pool, 1)],
  ["somebody redeems a code", () => give(database.pool, people[0] ?? "", "SPRING")],
  [
    "a page is seen",
    () =>
      database.pool.query(
        "INSERT INTO page_views (day, page, referrer, views) VALUES ((now() AT TIME ZONE 'UTC')::date, '/', '', 1)",
      ),
  ],
  ["an account is deleted", () => database.pool.query(`DELETE FROM "user" WHERE id = $1`, [people[2]])],
])("when %s it is counted, if not at once then the next time", async (_what, happen) => {
  await settled();
  await happen();
  await eventually(counts, "what was written is counted");
});

test("a plan that ends by itself is counted, and so is a refund that gets late, and another day", async () => {
  await give(database.pool, people[1] ?? "", "SPRING", { until: "now() + interval '5 seconds'" });
  await subscribe(database.pool, people[1] ?? "", { id: "'sub'", status: "'canceled'" });
  await database.pool.query(
    "INSERT INTO plan_changes (subscription_id, user_id, kind, requested_at) VALUES ('sub', $1, 'refund', now())",
    [people[1]],
  );
  await settled();
  await eventually(counts, "the plan has ended");
  const { rows } = await database.pool.query(
    "SELECT value::int FROM daily_figures WHERE name = 'active' AND label = 'basic:promo'",
  );
  expect(rows).toEqual([{ value: 1 }]);

  await database.pool.query(
    "UPDATE plan_changes SET requested_at = now() - interval '1 hour' + interval '4 seconds'",
  );
  await settled();
  await sleep(4_000);
  expect(await counts()).toBe(true);
  await database.pool.query("UPDATE plan_changes SET applied_at = now()");
  await settled();
  await database.pool.query("UPDATE daily_figures SET day = day - 1");
  expect(await counts()).toBe(true);
});

test("another process, which remembers nothing, counts for itself", async () => {
  await settled();
  last.writes = null;
  expect(await counts()).toBe(true);
});
