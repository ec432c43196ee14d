import Stripe from "stripe";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../test/database.ts";
import { createSignedInUsers } from "../test/users.ts";
import { readConfig } from "./config/config.server.ts";
import type { Database } from "./db/client.server.ts";
import { createLog } from "./log/log.server.ts";
import { createSweeps } from "./sweeps.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

const config = readConfig({});
const payments = {
  isOn: true as const,
  stripe: new Stripe("sk_test_unused"),
  webhookSecret: "unused",
  checkoutOrigins: [],
};
const silent = createLog("silent");
const sweepsOf = (db: Database, log = silent) => createSweeps({ config, db, log, payments }, () => false);

beforeAll(async () => {
  database = await openDatabase();
  await createSignedInUsers(database.pool, 1);
});

afterAll(() => database.close());

const LONG_AGO = "now() - interval '9 years'";

/** Each writes rows of which the first has served its time and the second has not. */
const OUTLIVED: Record<string, string> = {
  waitlist: `INSERT INTO waitlist (id, email, token, referral_code, confirm_by)
    SELECT i, i || '@example.com', rpad(i::text, 43, 'x'), rpad((i + 1)::text, 10, 'x'), at`,
  mail_links: `INSERT INTO mail_links (token_hash, user_id, email, purpose, expires_at)
    SELECT i, (SELECT id FROM "user"), 'ada@example.com', 'verify_email', at`,
  provider_flows: `INSERT INTO provider_flows (state_hash, provider, intent, browser_hash, nonce, code_verifier, return_to, expires_at)
    SELECT i, 'google', 'sign_in', '', '', '', '/', at`,
  jwks: "INSERT INTO jwks (id, alg, public_key, private_key, expires_at) SELECT i, 'ES256', '', '', at",
  handoffs: "INSERT INTO handoffs (token_hash, expires_at) SELECT i, at",
  rate_limits: "INSERT INTO rate_limits (key, hits, expires_at) SELECT i, '{}', at",
  erasures: "INSERT INTO erasures (subject, id, erased_at) SELECT 'user', 'erased' || i, at",
  outbox: "INSERT INTO outbox (kind, payload, done_at) SELECT 'x', '{}', at",
};

test("of everything that is kept for its time, a round deletes what has served it and nothing else", async () => {
  for (const insert of Object.values(OUTLIVED))
    await database.pool.query(
      `${insert} FROM (VALUES (1, ${LONG_AGO}), (2, now() + interval '1 day')) AS ages (i, at)`,
    );
  await sweepsOf(database.db)();
  const left: Record<string, number | null> = {};
  for (const table of Object.keys(OUTLIVED))
    left[table] = (await database.pool.query(`SELECT FROM ${table}`)).rowCount;
  expect(left).toEqual(Object.fromEntries(Object.keys(OUTLIVED).map((table) => [table, 1])));
  // What is left of the waitlist has no token as it was (decision 0014).
  expect((await database.pool.query("SELECT token FROM waitlist")).rows).toEqual([{ token: null }]);
});

test("a task that fails is logged, and the others are done", async () => {
  await database.pool.query(
    "INSERT INTO handoffs (token_hash, expires_at) VALUES ('late', now() - interval '1 day')",
  );
  await database.pool.query("ALTER TABLE mail_links RENAME TO away");
  const log = { ...silent, warn: vi.fn() };
  await sweepsOf(database.db, log)();
  expect(log.warn.mock.calls.map(([, said]) => said)).toEqual(["could not delete expired links"]);
  const { rowCount } = await database.pool.query("SELECT FROM handoffs WHERE token_hash = 'late'");
  expect(rowCount).toBe(0);
});
