import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { findViolations } from "../db/invariants.server.ts";
import { editOf, editPromoCode, findPromoCode } from "./manage-codes.server.ts";
import { createPromoCode } from "./manage-codes.server.ts";
import { newPromoCode } from "./promo-terms.server.ts";
import { redeemPromoCode } from "./redeem.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let userId: string;
let code: string;

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(async () => {
  const [user] = await createSignedInUsers(database.pool, 1);
  userId = user?.id ?? "";
  code = `CODE-${randomUUID()}`.toUpperCase();
});

afterAll(async () => {
  expect(await findViolations(database.pool)).toEqual([]);
  await database.close();
});

const INVALID = { ok: false, message: "Invalid or expired promo code" };
const redeem = () =>
  redeemPromoCode({ config: { authSecret: AUTH_SECRET }, db: database.db }, userId, { code });
const create = (terms: Record<string, string | boolean>) =>
  createPromoCode(database.db, newPromoCode.parse({ code, ...terms }));
const read = async () => {
  const row = await findPromoCode(database.db, code);
  if (!row) throw new Error("the code is gone");
  return row;
};

test("a code cannot be redeemed before it starts, and can from then on", async () => {
  await create({ startsAt: "2999-01-01" });
  expect(await redeem()).toEqual(INVALID);
  await database.pool.query("UPDATE promo_codes SET starts_at = now() WHERE code = $1", [code]);
  expect(await redeem()).toMatchObject({ ok: true });
});

test("a code for confirmed addresses says what to do, and is used once the address is confirmed", async () => {
  await create({ confirmedOnly: true });
  const message =
    "This code is for confirmed email addresses. Open the link we emailed you to confirm yours, then apply the code again.";
  expect(await redeem()).toEqual({ ok: false, message });
  expect(await read()).toMatchObject({ usedCount: 0 });
  await database.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [userId]);
  expect(await redeem()).toMatchObject({ ok: true });
  expect(await read()).toMatchObject({ usedCount: 1 });
});

test("what the operator changes while somebody redeems is what they get", async () => {
  await create({ tier: "basic", months: "1" });
  const redemption = await whileChanging(
    "UPDATE promo_codes SET tier = 'premium', duration_months = 6 WHERE code = $1",
    redeem,
  );
  expect(redemption).toMatchObject({ ok: true, tier: "premium" });
  const { rows } = await database.pool.query(
    "SELECT tier, expires_at = created_at + interval '6 months' AS is_half_a_year FROM grants WHERE user_id = $1",
    [userId],
  );
  expect(rows).toEqual([{ tier: "premium", is_half_a_year: true }]);
});

test("a code becomes one for confirmed addresses while somebody redeems it", async () => {
  await create({});
  const redemption = await whileChanging(
    "UPDATE promo_codes SET confirmed_only = true WHERE code = $1",
    redeem,
  );
  expect(redemption).toMatchObject({
    ok: false,
    message: expect.stringContaining("confirmed email addresses"),
  });
  expect(await read()).toMatchObject({ usedCount: 0 });
});

test("a code becomes one for one account of a mailbox while somebody redeems it: their grant counts", async () => {
  await create({});
  const redemption = await whileChanging(
    "UPDATE promo_codes SET once_per_mailbox = true WHERE code = $1",
    redeem,
  );
  expect(redemption).toMatchObject({ ok: true });
  const { rows } = await database.pool.query("SELECT mailbox_hash FROM grants WHERE promo_code = $1", [code]);
  expect(rows).toEqual([{ mailbox_hash: expect.stringMatching(/^[\w-]{43}$/) }]);
});

test.each([
  ["deleted", "DELETE FROM promo_codes WHERE code = $1", "Invalid promo code"],
  ["paused", "UPDATE promo_codes SET active = false WHERE code = $1", "Invalid or expired promo code"],
  [
    "used up",
    "UPDATE promo_codes SET max_uses = used_count WHERE code = $1",
    "Invalid or expired promo code",
  ],
])("a code is %s between looking and redeeming", async (_how, change, message) => {
  await create({});
  expect(await whileChanging(change, redeem)).toEqual({ ok: false, message });
});

test("a code that ends while a redemption waits for its turn is not given", async () => {
  await create({});
  await database.pool.query(
    "UPDATE promo_codes SET expires_at = now() + interval '1 second' WHERE code = $1",
    [code],
  );
  // Another redemption holds the code until the database's own clock is past the end.
  const wait = `WITH waited AS MATERIALIZED (
      SELECT pg_sleep_until(expires_at + interval '1 millisecond') FROM promo_codes WHERE code = $1
    )
    UPDATE promo_codes SET note = 'held' FROM waited WHERE code = $1`;
  expect(await whileChanging(wait, redeem)).toEqual(INVALID);
});

test("an operator cannot change what a code gives while its first redemption is on its way", async () => {
  await create({ tier: "basic" });
  const row = await read();
  const redemption = await database.pool.connect();
  await redemption.query("BEGIN");
  await redemption.query("UPDATE promo_codes SET used_count = 1 WHERE code = $1", [code]);
  await redemption.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     VALUES ($1, $1, 'basic', 'promo', $2, now() + interval '1 month')`,
    [userId, code],
  );
  const edit = editPromoCode(
    database.db,
    { name: "a test" },
    code,
    { ...editOf(row), tier: "premium" },
    null,
  );
  await somebodyWaits();
  await redemption.query("COMMIT");
  redemption.release();
  expect(await edit).toMatchObject({
    ok: false,
    status: 409,
    message: expect.stringContaining("redeemed once"),
  });
  expect(await read()).toMatchObject({ tier: "basic" });
});

/** Changes the code in a transaction that lasts until `work` waits for it. */
async function whileChanging<Result>(change: string, work: () => Promise<Result>): Promise<Result> {
  const operator = await database.pool.connect();
  await operator.query("BEGIN");
  await operator.query("SELECT FROM promo_codes WHERE code = $1 FOR UPDATE", [code]);
  const working = work();
  await somebodyWaits();
  await operator.query(change, [code]);
  await operator.query("COMMIT");
  operator.release();
  return working;
}

async function somebodyWaits(): Promise<void> {
  const waiting =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1);
}
