import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../app/config/config.server.ts";
import type { Limit } from "../../app/limits/limit.ts";
import { consumeLimit } from "../../app/limits/rate-limit.server.ts";
import { WAITLIST_LIMITS } from "../../app/waitlist/limits.ts";
import { openDatabase } from "../database.ts";
import { asClient, postForm } from "../http.ts";
import { sharedServer } from "../server.fixture.ts";

const AT_ONCE = 200;
const LIMIT: Limit = { name: "race", windows: [{ count: 50, seconds: 3600 }] };

const config = readConfig({ AUTH_SECRET: "x".repeat(32), LIMITS_TIMES: "1" });
const server = sharedServer();
let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

const times = <T>(run: () => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, run));

test(`${AT_ONCE} tries at once: exactly 50 get a turn, and exactly as many again as were given back`, async () => {
  const take = () => consumeLimit({ config, db: database.db }, LIMIT, "a user");
  const first = await times(take);
  const had = first.flatMap((turn) => (turn.ok ? turn : []));
  expect(had).toHaveLength(50);
  await Promise.all(had.slice(0, 20).map((turn) => turn.refund()));
  expect((await times(take)).filter((turn) => turn.ok)).toHaveLength(20);
});

test(`${AT_ONCE} forms of one client at once: exactly 20 are taken, the others are told how long to wait`, async () => {
  const client = asClient();
  const host = `${randomUUID()}.example`;
  const join = () => postForm(server, "/waitlist", { email: `${randomUUID()}@${host}` }, undefined, client);
  const answers = Map.groupBy(await times(join), (answer) => answer.status);
  const { count } = WAITLIST_LIMITS.waitlistByClient.windows[0];
  expect(answers.get(303)).toHaveLength(count);
  expect(answers.get(429)).toHaveLength(AT_ONCE - count);
  expect((await server.pool.query("SELECT FROM waitlist WHERE email LIKE '%@' || $1", [host])).rowCount).toBe(
    count,
  );
  for (const answer of answers.get(429) ?? [])
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(3500);
});

test("the same tests catch reading first and writing then", async () => {
  await database.pool.query(
    "INSERT INTO rate_limits (key, hits, expires_at) VALUES ('naive', '{}', now() + interval '1 hour')",
  );
  const had = (await times(takeNaively)).filter((hasTurn) => hasTurn).length;
  console.log(`naive read-then-write: ${had} of 50 turns were had`);
  expect(had).toBeGreaterThan(50);
});

/** The naive version: count the rows, and add one when there is room. */
async function takeNaively(): Promise<boolean> {
  const { rows } = await database.pool.query(
    `SELECT count(*)::int AS hits FROM rate_limits, unnest(hits) AS hit
     WHERE key = 'naive' AND hit > now() - interval '1 hour'`,
  );
  if (rows[0].hits >= 50) return false;
  await database.pool.query("UPDATE rate_limits SET hits = hits || now() WHERE key = 'naive'");
  return true;
}
