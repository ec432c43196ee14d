import { expect, test } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { readConfig } from "../config/config.server.ts";
import { tryPassword } from "./tries.server.ts";

const database = sharedDatabase();

const config = readConfig({ AUTH_SECRET: "a secret of at least thirty-two characters", LIMITS_TIMES: "1" });

const EMAIL = "ada@example.com";
const network = (index: number) => `2001:db8:${index.toString(16)}:1::/64`;

function tryIt(client: string, isRight: boolean, userId?: string) {
  const { db } = database;
  const log = { error: expect.unreachable, warn: expect.unreachable, info: () => {} };
  const app = { config, db, log } as unknown as Parameters<typeof tryPassword>[0];
  return tryPassword(app, { client, email: EMAIL, userId }, "wrong", async () => (isRight ? {} : null));
}

test("a thousand wrong passwords from anywhere are the limit of a day, but not where the owner signed in before", async () => {
  expect((await tryIt("203.0.113.7", true)).ok).toBe(true);
  expect((await tryIt(network(0), false)).ok).toBe(false);
  await database.pool.query(
    "UPDATE rate_limits SET hits = array_fill(hits[1], ARRAY[990]) WHERE key LIKE 'sign_in_failures_by_account%'",
  );
  // Each network may try three times in ten seconds.
  const networks = Array.from({ length: 20 }, (_, index) => network(1 + (index >> 1)));
  const tries = await Promise.all(networks.map((client) => tryIt(client, false)));
  expect(tries.filter((tried) => !tried.ok && tried.status === 400)).toHaveLength(10);
  expect(await tryIt("198.51.100.1", true)).toMatchObject({ ok: false, status: 429 });
  expect((await tryIt("203.0.113.7", true)).ok).toBe(true);
  // Who is signed in shows again who they are, wherever they are.
  expect((await tryIt("198.51.100.1", true, "ada")).ok).toBe(true);
  // In a quarter of an hour, one mail.
  const { rows } = await database.pool.query(
    "SELECT count(*)::int AS told FROM outbox WHERE kind = 'notify_owner'",
  );
  expect(rows).toEqual([{ told: 1 }]);
});

test("a network that is used stays known, however long ago its first sign-in was", async () => {
  const { pool } = database;
  await pool.query("DELETE FROM rate_limits");
  const home = "203.0.113.8";
  expect((await tryIt(home, true)).ok).toBe(true);
  await pool.query(
    "UPDATE rate_limits SET hits = array_fill(now(), ARRAY[1000]) WHERE key LIKE 'sign_in_failures_by_account%'",
  );
  expect((await tryIt("203.0.113.9", true)).ok).toBe(false);
  for (const visit of [1, 2]) {
    await pool.query(
      `UPDATE rate_limits SET expires_at = expires_at - interval '60 days', hits = ARRAY[hits[1] - interval '60 days']
       WHERE key LIKE 'known_network%'`,
    );
    expect([visit, (await tryIt(home, true)).ok]).toEqual([visit, true]);
  }
});
