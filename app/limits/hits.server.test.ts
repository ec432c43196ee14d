import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { connect, endPool } from "../db/client.server.ts";
import { countedOver } from "./hits.server.ts";
import type { Limit } from "./limit.ts";

const LIMIT: Limit = { name: "test_hits", windows: [{ count: 3, seconds: 60 }] };

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const keyOf = (index: number) => `test_hits:${index}`;

/** The same every time, so that a failure can be seen again. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  let seed = 7;
  const weights = new Map(
    items.map((item) => {
      seed = (seed * 16807) % 2147483647;
      return [item, seed];
    }),
  );
  return items.toSorted((one, other) => (weights.get(one) ?? 0) - (weights.get(other) ?? 0));
}

test("hits of many buckets counted and taken back at once, by two processes: each is exact, and nobody waits in a circle", async () => {
  const other = connect(database.url, 10, () => {});
  const processes = [countedOver(database.db), countedOver(other.db)];
  const asked = Array.from({ length: 400 }, (_, index) => ({
    key: keyOf(index % 100),
    hits: processes[Math.floor(index / 100) % 2],
  }));
  for (let round = 0; round < 3; round++) {
    const counted = await Promise.all(
      shuffled(asked).map(async ({ key, hits }) => ({
        key,
        hits,
        ...(await hits?.count({ key, limit: LIMIT })),
      })),
    );
    const passed = counted.filter(({ wait_seconds }) => wait_seconds === null);
    expect(passed).toHaveLength(300);
    expect(new Set(passed.map(({ key, hit }) => `${key} ${hit}`)).size).toBe(300);
    // One of each is told that it was the last.
    expect(passed.filter(({ is_last }) => is_last)).toHaveLength(100);
    await Promise.all(shuffled(passed).map(({ key, hit = "", hits }) => hits?.refund({ key, hit })));
    const { rows } = await database.pool.query("SELECT sum(cardinality(hits))::int AS left FROM rate_limits");
    expect(rows).toEqual([{ left: 0 }]);
  }
  await endPool(other.pool);
});

test("those of different buckets share statements", async () => {
  let statements = 0;
  const count = () => statements++;
  subscribe("query", count);
  await Promise.all(
    Array.from({ length: 400 }, (_, index) =>
      countedOver(database.db).count({ key: keyOf(1_000 + index), limit: LIMIT }),
    ),
  );
  unsubscribe("query", count);
  expect(statements).toBe(Math.ceil(400 / 64));
});

test("a bucket that somebody has locked holds up nobody else for long", async () => {
  const client = await database.pool.connect();
  await countedOver(database.db).count({ key: keyOf(1), limit: LIMIT });
  await client.query("BEGIN");
  await client.query("SELECT FROM rate_limits WHERE key = $1 FOR UPDATE", [keyOf(1)]);
  const held = countedOver(database.db).count({ key: keyOf(1), limit: LIMIT });
  // In the way of what arrives meanwhile, of the same limit, only until the first one is under way.
  const again = countedOver(database.db).count({ key: keyOf(1), limit: LIMIT });
  const of = { ...LIMIT, name: "another" };
  expect(await countedOver(database.db).count({ key: "another:1", limit: of })).toMatchObject({
    wait_seconds: null,
  });
  await client.query("COMMIT");
  client.release();
  expect(await Promise.all([held, again])).toMatchObject([{ wait_seconds: null }, { wait_seconds: null }]);
});
