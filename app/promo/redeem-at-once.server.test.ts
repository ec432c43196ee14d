import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase, statementsOf } from "../../test/database.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { connect, type Database, endPool } from "../db/client.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { redeemPromoCode } from "./redeem.server.ts";

const config = { authSecret: AUTH_SECRET };

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(async () => {
  expect(await findViolations(database.pool)).toEqual([]);
  await database.close();
});

async function addCode(maxUses: number | null = null): Promise<string> {
  const code = randomUUID().toUpperCase();
  await database.pool.query(
    "INSERT INTO promo_codes (code, duration_type, max_uses) VALUES ($1, 'months', $2)",
    [code, maxUses],
  );
  return code;
}

const people = async (count: number) => (await createSignedInUsers(database.pool, count)).map(({ id }) => id);
const redeem = (userId: string, code: string, db = database.db) =>
  redeemPromoCode({ config, db }, userId, { code });

test("three processes, hot and other codes mixed: every use once, each is told what they have, and no deadlock", async () => {
  const codes = [await addCode(30), await addCode(30), await addCode()];
  const processes = Array.from({ length: 3 }, () => connect(database.url, 8, () => {}));
  // 36 for each code, and one who has deleted their account.
  const users = [...(await people(108)), "nobody"];
  const told = await Promise.all(
    users.map(async (userId, index) => {
      const { db } = processes[index % 3] ?? database;
      const code = codes[Math.floor(index / 3) % 3] ?? "";
      const { ok } = await redeem(userId, code, db);
      // From another connection, the moment they are told.
      const { rowCount } = await database.pool.query(
        "SELECT FROM grants WHERE user_id = $1 AND promo_code = $2",
        [userId, code],
      );
      return { userId, ok, has: rowCount === 1 };
    }),
  );
  await Promise.all(processes.map(({ pool }) => endPool(pool)));
  expect(told.filter(({ ok }) => ok)).toHaveLength(30 + 30 + 36);
  expect(told.filter(({ ok, has }) => ok !== has)).toEqual([]);
  const { rows } = await database.pool.query(
    "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
});

test("one takes five statements", async () => {
  const [code, [user = ""]] = [await addCode(), await people(1)];
  expect(
    await statementsOf(database.url, (db: Database) => redeem(user, code, db)),
    "begin, lock, look, count and grant, commit",
  ).toHaveLength(5);
});

test("somebody whose account or code is held by others keeps nobody else waiting", async () => {
  const [free, held] = [await addCode(), await addCode()];
  const [locked = "", atHeld = "", ...others] = await people(10);
  const holder = await database.pool.connect();
  await holder.query("BEGIN");
  await holder.query(`SELECT FROM "user" WHERE id = $1 FOR UPDATE`, [locked]);
  await holder.query("SELECT FROM promo_codes WHERE code = $1 FOR UPDATE", [held]);
  const waiting = [redeem(locked, free), redeem(atHeld, held)];
  for (const { ok } of await Promise.all(others.map((userId) => redeem(userId, free)))) expect(ok).toBe(true);
  await holder.query("ROLLBACK");
  holder.release();
  for (const { ok } of await Promise.all(waiting)) expect(ok).toBe(true);
});

test("one for whom the database fails takes no use", async () => {
  const code = await addCode();
  const users = await people(5);
  await database.pool.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'not this one'; END $$`);
  await database.pool.query(`CREATE TRIGGER fail BEFORE INSERT ON grants FOR EACH ROW
    WHEN (new.user_id = '${users[3]}') EXECUTE FUNCTION fail()`);
  const outcomes = await Promise.allSettled(users.map((userId) => redeem(userId, code)));
  await database.pool.query("DROP TRIGGER fail ON grants");
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, true, true, false, true]);
  const { rows } = await database.pool.query("SELECT used_count FROM promo_codes WHERE code = $1", [code]);
  expect(rows).toEqual([{ used_count: 4 }]);
});
