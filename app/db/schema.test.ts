import { once } from "node:events";
import { rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, onCluster, openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { FEATURES_BY_TIER, TIERS } from "../entitlements/tiers.ts";
import { connect } from "./client.server.ts";
import { findViolations, readInvariants } from "./invariants.server.ts";
import { applyMigrations } from "./migrate.server.ts";
import { writeMigrations } from "./migrations-folder.fixture.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

test("eight migrations at once apply each migration once", async () => {
  const { url, drop } = await createDatabase();
  await Promise.all(Array.from({ length: 8 }, () => applyMigrations(url)));
  const { pool } = connect(url, 1, () => {});
  const { rows } = await pool.query(
    "SELECT hash, count(*)::int AS times FROM drizzle.__drizzle_migrations GROUP BY hash",
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ times }) => times !== 1)).toEqual([]);
  await pool.end();
  await drop();
});

/** A folder with one migration. */
const writeMigration = (tag: string, sql: string) => writeMigrations([{ tag, when: Date.now(), sql }]);

test("a change of a table in use does not block others, and is made as soon as the table is free", async () => {
  const folder = writeMigration("one_more_column", "ALTER TABLE session ADD COLUMN one_more text");
  const holder = await database.pool.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM session");

  const said: string[] = [];
  const timeouts = { notice: 60_000, answer: 120_000, lock: 300, pause: 300 };
  const migrating = applyMigrations(database.ownerUrl, { say: (line) => said.push(line), folder, timeouts });
  const blocked = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'alter table session%'`;
  for (const _try of [1, 2]) {
    await eventually(async () => (await onCluster(blocked)) === 1, "the change waits for the table");
    await database.pool.query("SELECT FROM session");
  }
  await holder.query("ROLLBACK");
  holder.release();
  await migrating;
  await database.pool.query("SELECT one_more FROM session");
  expect(said).toEqual(["a table that the new version changes is in use; trying until it is free…"]);
  rmSync(folder, { recursive: true });
});

test("a change that comes to a deadlock with a request lets the request through, and is made afterwards", async () => {
  const sql =
    "ALTER TABLE session ADD COLUMN two_more text;--> statement-breakpoint\nALTER TABLE account ADD COLUMN two_more text";
  const folder = writeMigration("two_more_columns", sql);
  const request = await database.pool.connect();
  await request.query("BEGIN");
  await request.query("UPDATE account SET updated_at = updated_at");
  // As at a start: longer than PostgreSQL takes to find a deadlock, one second, and shorter than a request that came later waits for that.
  const timeouts = { notice: 60_000, answer: 120_000, lock: 1_500, pause: 300 };
  const said: string[] = [];
  const migrating = applyMigrations(database.ownerUrl, { say: (line) => said.push(line), folder, timeouts });
  const blocked = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%alter table account%'`;
  await eventually(async () => (await onCluster(blocked)) === 1, "the change waits for the other table");
  await request.query("DELETE FROM session WHERE false");
  await request.query("COMMIT");
  request.release();
  await migrating;
  await database.pool.query("SELECT session.two_more, account.two_more FROM session, account");
  expect(said).toEqual(["a table that the new version changes is in use; trying until it is free…"]);
  rmSync(folder, { recursive: true });
});

test("a database that says nothing or refuses is waited for, which is said without its password, and by a command not for ever", async () => {
  const mute = createServer().listen(0, "127.0.0.1");
  await once(mute, "listening");
  const { port } = mute.address() as AddressInfo;
  const said: string[] = [];
  const start = () =>
    applyMigrations(`postgres://me:secret@127.0.0.1:${port}/site`, {
      say: (line) => said.push(line),
      timeouts: { notice: 50, answer: 500, lock: 300, pause: 300 },
    });
  await expect(start()).rejects.toThrow(`the database at 127.0.0.1:${port} does not answer: timeout expired`);
  mute.close();
  await expect(start()).rejects.toThrow(`connect ECONNREFUSED 127.0.0.1:${port}`);
  const waiting = `waiting for the database at 127.0.0.1:${port}`;
  expect(said.length).toBeGreaterThan(3);
  expect(new Set(said)).toEqual(
    new Set([`${waiting}: timeout expired`, `${waiting}: connect ECONNREFUSED 127.0.0.1:${port}`]),
  );
});

test("the view gives each tier the features the code gives it", async () => {
  const users = await createSignedInUsers(database.pool, TIERS.length);
  for (const [index, tier] of TIERS.entries()) {
    await database.pool.query(
      `INSERT INTO grants (id, user_id, tier, source, expires_at) VALUES ($1, $2, $3, 'admin', now() + interval '1 day')`,
      [`grant-${tier}`, users[index]?.id, tier],
    );
  }
  const { rows } = await database.pool.query("SELECT tier, features FROM user_subscriptions");
  expect(Object.fromEntries(rows.map(({ tier, features }) => [tier, features]))).toEqual(FEATURES_BY_TIER);
});

test.each([
  ["a code in lower case", "INSERT INTO promo_codes (code, duration_type) VALUES ('low', 'months')"],
  [
    "more uses than allowed",
    "INSERT INTO promo_codes (code, duration_type, max_uses, used_count) VALUES ('A', 'months', 1, 2)",
  ],
  ["a negative use", "INSERT INTO promo_codes (code, duration_type, used_count) VALUES ('A', 'months', -1)"],
  ["an unknown tier", "INSERT INTO promo_codes (code, duration_type, tier) VALUES ('A', 'months', 'gold')"],
  ["an unknown duration", "INSERT INTO promo_codes (code, duration_type) VALUES ('A', 'weeks')"],
  [
    "no months at all",
    "INSERT INTO promo_codes (code, duration_type, duration_months) VALUES ('A', 'months', 0)",
  ],
  ["a waiting address in upper case", waitlistRow("'Ada@example.com', NULL, NULL, NULL")],
  ["a place with a number that nobody confirmed", waitlistRow("'ada@example.com', 1, NULL, NULL")],
  ["a confirmed place without a number", waitlistRow("'ada@example.com', NULL, now(), NULL")],
  ["a person who referred themselves", waitlistRow("'ada@example.com', NULL, NULL, 'id'")],
  [
    "a message longer than the form takes",
    "INSERT INTO contact_messages (id, name, email, topic, message, content_hash) VALUES ('id', 'Ada', 'ada@example.com', 'idea', repeat('a', 4001), 'h')",
  ],
])("the database itself refuses %s", async (_what, statement) => {
  await expect(database.pool.query(statement)).rejects.toThrow(/violates check constraint/);
});

function waitlistRow(values: string): string {
  return `INSERT INTO waitlist (id, token, referral_code, confirm_by, email, ticket, confirmed_at, referred_by)
    VALUES ('id', repeat('t', 43), '2222222222', now(), ${values})`;
}

test("the invariants find what is wrong", async () => {
  expect(await findViolations(database.pool)).toEqual([]);
  await database.pool.query(
    "INSERT INTO promo_codes (code, duration_type, used_count) VALUES ('LOST', 'months', 1)",
  );
  await database.pool.query("INSERT INTO stripe_events (id, type, created) VALUES ('evt', 'x', now())");
  await database.pool.query(
    `INSERT INTO waitlist (id, email, token, referral_code, referred_by, confirm_by) VALUES
      ('1', 'late@example.com', repeat('1', 43), '2222222222', NULL, now() - interval '2 days'),
      ('2', 'brought@example.com', repeat('2', 43), '3333333333', '1', now() + interval '2 days')`,
  );
  const rules = (await findViolations(database.pool)).map((violation) => violation.rule);
  expect(rules).toHaveLength(4);
  expect(rules[0]).toMatch(/used_count is the number of its grants/);
  expect(rules[1]).toMatch(/has been handled or still has its job/);
  expect(rules[2]).toMatch(/brought a friend to the waitlist is on it and confirmed/);
  expect(rules[3]).toMatch(/stays on the waitlist unconfirmed/);
  expect(readInvariants().length).toBeGreaterThanOrEqual(8);
});
