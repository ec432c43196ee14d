import { beforeEach, expect, test } from "vitest";
import { eventually } from "../../test/http.ts";
import { connect, endPool } from "../db/client.server.ts";
import { createLog } from "../log/log.server.ts";
import { checkPromoCode } from "./check.server.ts";
import { editOf, editPromoCode, findPromoCode } from "./manage-codes.server.ts";
import { config, REFUSED, setupPromo } from "./promo.fixture.ts";

const { database, redeem, newCode, newUser, newUsers, usesOf, whileHeld, redeemAtOnce } = setupPromo();
let userId: string;

beforeEach(async () => {
  userId = await newUser();
});

/** More grants than are quicker read whole, each of a code of its own. */
const SINGLE_CODES = 1_000;

test("looking at a code and redeeming it reads nothing of others who have, whatever the statistics say", async () => {
  const { db, pool } = connect(database.url, 1, () => {});
  await database.pool.query(
    `WITH codes AS (
       INSERT INTO promo_codes (code, duration_type, max_uses, used_count)
       SELECT 'SINGLE' || i, 'months', 1, 1 FROM generate_series(1, $1) AS i RETURNING code
     )
     INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     SELECT code, $2, 'basic', 'promo', code, now() + interval '1 month' FROM codes`,
    [SINGLE_CODES, userId],
  );
  await database.pool.query("VACUUM (ANALYZE)");
  await database.pool.query("SELECT pg_stat_reset()");
  const code = await newCode();
  for (const id of await newUsers(60)) {
    const viewer = { id, email: "nobody@example.com", emailVerified: false };
    const checked = await checkPromoCode({ db, config, log: createLog("silent") }, id, viewer, { code });
    expect([checked.ok, (await redeem(id, code, { db })).ok]).toEqual([true, true]);
  }
  await pool.query("SELECT pg_stat_force_next_flush()");
  const readOfIndex = async () =>
    (
      await database.pool.query(
        "SELECT idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE indexrelname = 'grants_promo_code_index'",
      )
    ).rows;
  await endPool(pool);
  expect(await eventually(readOfIndex, "statistics are there")).toEqual([{ read: 0 }]);
});

test("three processes, hot and other codes mixed: every use once, each is told what they have, and no deadlock", async () => {
  const codes = [await newCode({ maxUses: "30" }), await newCode({ maxUses: "30" }), await newCode()];
  const processes = Array.from({ length: 3 }, () => connect(database.url, 8, () => {}));
  // 36 for each code, and one who has deleted their account.
  const users = [...(await newUsers(108)), "nobody"];
  const told = await Promise.all(
    users.map(async (userId, index) => {
      const code = codes[Math.floor(index / 3) % 3] ?? "";
      const { ok } = await redeem(userId, code, { db: processes[index % 3]?.db });
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

test("twenty at once by the same user take one use", async () => {
  const code = await newCode();
  const all = await redeemAtOnce(
    Array.from({ length: 20 }, () => userId),
    code,
  );
  expect(all.filter((each) => each.ok && each.isRepeat)).toHaveLength(19);
  expect(all.filter((each) => each.ok && !each.isRepeat)).toHaveLength(1);
  expect(await usesOf(code)).toEqual({ uses: 1, grants: 1 });
});

test("a locked account or code keeps no other redemption waiting", async () => {
  const [free, held] = [await newCode(), await newCode()];
  const [locked = "", atHeld = "", ...others] = await newUsers(10);
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

test("a redemption for which the database fails takes no use", async () => {
  const code = await newCode();
  const users = await newUsers(5);
  await database.pool.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'not this one'; END $$`);
  await database.pool.query(`CREATE TRIGGER fail BEFORE INSERT ON grants FOR EACH ROW
    WHEN (new.user_id = '${users[3]}') EXECUTE FUNCTION fail()`);
  const outcomes = await Promise.allSettled(users.map((userId) => redeem(userId, code)));
  await database.pool.query("DROP TRIGGER fail ON grants");
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, true, true, false, true]);
  expect(await usesOf(code)).toEqual({ uses: 4, grants: 4 });
});

test("what the operator changes during a redemption is what the user gets", async () => {
  const code = await newCode({ tier: "basic", months: "1" });
  const change = "UPDATE promo_codes SET tier = 'premium', duration_months = 6 WHERE code = $1";
  expect(await whileHeld(code, [() => redeem(userId, code)], change)).toMatchObject([
    { ok: true, tier: "premium" },
  ]);
  const { rows } = await database.pool.query(
    "SELECT tier, expires_at = created_at + interval '6 months' AS is_half_a_year FROM grants WHERE user_id = $1",
    [userId],
  );
  expect(rows).toEqual([{ tier: "premium", is_half_a_year: true }]);
});

test.each([
  ["is deleted", "DELETE FROM promo_codes WHERE code = $1", "Invalid promo code"],
  ["is paused", "UPDATE promo_codes SET active = false WHERE code = $1", REFUSED.message],
  ["is used up", "UPDATE promo_codes SET max_uses = used_count WHERE code = $1", REFUSED.message],
  [
    "begins later",
    "UPDATE promo_codes SET starts_at = now() + interval '1 day' WHERE code = $1",
    REFUSED.message,
  ],
  [
    "becomes one for confirmed addresses",
    "UPDATE promo_codes SET confirmed_only = true WHERE code = $1",
    expect.stringContaining("confirmed email addresses"),
  ],
  [
    // Held until the database's own clock is past the end.
    "ends",
    `WITH ended AS (UPDATE promo_codes SET expires_at = clock_timestamp() + interval '50 milliseconds'
       WHERE code = $1 RETURNING expires_at)
     SELECT pg_sleep_until(expires_at + interval '1 millisecond') FROM ended`,
    REFUSED.message,
  ],
])("a code that %s between looking and redeeming is not given", async (_how, change, message) => {
  const code = await newCode();
  expect(await whileHeld(code, [() => redeem(userId, code)], change)).toMatchObject([{ ok: false, message }]);
  expect((await usesOf(code))?.uses ?? 0).toBe(0);
});

test("a code that becomes one for one account of a mailbox during a redemption counts it", async () => {
  const code = await newCode();
  const change = "UPDATE promo_codes SET once_per_mailbox = true WHERE code = $1";
  expect(await whileHeld(code, [() => redeem(userId, code)], change)).toMatchObject([{ ok: true }]);
  const { rows } = await database.pool.query("SELECT mailbox_hash FROM grants WHERE promo_code = $1", [code]);
  expect(rows).toEqual([{ mailbox_hash: expect.stringMatching(/^[\w-]{43}$/) }]);
});

test("an operator cannot change what a code gives while its first redemption is on its way", async () => {
  const code = await newCode({ tier: "basic" });
  const row = await findPromoCode(database.db, code);
  if (!row) throw new Error("the code is gone");
  const change = `WITH counted AS (UPDATE promo_codes SET used_count = 1 WHERE code = $1 RETURNING code)
    INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
    SELECT '${userId}', '${userId}', 'basic', 'promo', code, now() + interval '1 month' FROM counted`;
  const edit = () =>
    editPromoCode(database.db, { name: "a test" }, code, { ...editOf(row), tier: "premium" }, null);
  expect(await whileHeld(code, [edit], change)).toMatchObject([
    { ok: false, status: 409, message: expect.stringContaining("redeemed once") },
  ]);
  expect(await findPromoCode(database.db, code)).toMatchObject({ tier: "basic" });
});
