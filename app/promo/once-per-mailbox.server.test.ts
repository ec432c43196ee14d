import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { deleteAccount } from "../account/delete-account.server.ts";
import { createUser } from "../auth/create-user.server.ts";
import { readConfig } from "../config/config.server.ts";
import { connect, endPool } from "../db/client.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { createLog } from "../log/log.server.ts";
import { createUserHooks } from "../user-hooks.server.ts";
import { makeBatchCodes, newBatchId } from "./batches.server.ts";
import { createPromoCode } from "./promo-codes.server.ts";
import { newPromoCode } from "./promo-terms.server.ts";
import { redeemPromoCode } from "./redeem.server.ts";

const config = readConfig({ AUTH_SECRET: "x".repeat(32) });
const GIVEN = { ok: true, isRepeat: false };
const REFUSED = { ok: false, message: "Invalid or expired promo code" };

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(async () => {
  expect(await findViolations(database.pool)).toEqual([]);
  await database.close();
});

/** Spellings of one new mailbox, each of a new account. @returns the accounts' ids */
async function createSpellings(count: number): Promise<string[]> {
  const name = randomUUID();
  return Promise.all(
    Array.from({ length: count }, (_, index) => createAccount(index ? `${name}+${index}` : name)),
  );
}

async function createAccount(name: string = randomUUID()): Promise<string> {
  const email = `${name}@example.com`;
  const signIn = { passwordHash: "a hash that no password has" };
  const id = await createUser(database.db, { email, name: "Ada", emailVerified: false, signIn });
  if (!id) throw new Error(`${email} has an account`);
  return id;
}

async function newCode(terms: { oncePerMailbox?: boolean; maxUses?: string } = { oncePerMailbox: true }) {
  const code = randomUUID().toUpperCase();
  await createPromoCode(database.db, newPromoCode.parse({ code, ...terms }));
  return code;
}

const redeem = (userId: string, code: string, db = database.db) =>
  redeemPromoCode({ config, db }, userId, { code });

async function outcomeOf(code: string) {
  const { rows } = await database.pool.query(
    `SELECT used_count, (SELECT count(*)::int FROM grants WHERE promo_code = code) AS grants
     FROM promo_codes WHERE code = $1`,
    [code],
  );
  return rows[0];
}

const turn = (code: string, isOn: boolean) =>
  database.pool.query("UPDATE promo_codes SET once_per_mailbox = $2 WHERE code = $1", [code, isOn]);

test("without the setting each spelling of a mailbox gets the code, and no hash is kept", async () => {
  const code = await newCode({});
  for (const userId of await createSpellings(2)) expect(await redeem(userId, code)).toMatchObject(GIVEN);
  const { rows } = await database.pool.query("SELECT mailbox_hash FROM grants WHERE promo_code = $1", [code]);
  expect(rows).toEqual([{ mailbox_hash: null }, { mailbox_hash: null }]);
});

test("with it the second spelling is refused and takes no use; the first and other mailboxes have it", async () => {
  const [code, other] = [await newCode(), await newCode()];
  const [first = "", second = ""] = await createSpellings(2);
  expect(await redeem(first, code)).toMatchObject(GIVEN);
  expect(await redeem(second, code)).toEqual(REFUSED);
  expect(await redeem(first, code)).toMatchObject({ ok: true, isRepeat: true });
  expect(await redeem(second, other), "another code").toMatchObject(GIVEN);
  expect(await outcomeOf(code)).toEqual({ used_count: 1, grants: 1 });
  expect(await redeem(await createAccount(), code)).toMatchObject(GIVEN);
});

test("after the first account was deleted its other spellings are refused still", async () => {
  const code = await newCode();
  const [first = "", second = ""] = await createSpellings(2);
  await redeem(first, code);
  const payments = { isOn: false, reason: "none here" } as const;
  const log = createLog("silent");
  const userHooks = createUserHooks(config);
  expect(await deleteAccount({ config, db: database.db, payments, log, userHooks }, first, null)).toBe(
    "deleted",
  );
  expect(await redeem(second, code)).toEqual(REFUSED);
});

test("it counts redemptions from when it is turned on, and nobody is refused while it is off", async () => {
  const code = await newCode({});
  const [before = "", first = "", second = "", third = ""] = await createSpellings(4);
  await redeem(before, code);
  await turn(code, true);
  expect(await redeem(first, code)).toMatchObject(GIVEN);
  expect(await redeem(second, code)).toEqual(REFUSED);
  await turn(code, false);
  expect(await redeem(second, code)).toMatchObject(GIVEN);
  await turn(code, true);
  expect(await redeem(third, code)).toEqual(REFUSED);
});

test("the codes of a batch have what the batch says", async () => {
  const id = newBatchId();
  await database.pool.query(
    `INSERT INTO promo_batches (id, name, size, duration_type, duration_months, once_per_mailbox)
     VALUES ($1, 'Leaflets', 2, 'months', 1, true)`,
    [id],
  );
  await makeBatchCodes(database.db, id);
  const { rows } = await database.pool.query("SELECT once_per_mailbox FROM promo_codes WHERE batch_id = $1", [
    id,
  ]);
  expect(rows).toEqual([{ once_per_mailbox: true }, { once_per_mailbox: true }]);
});

/** Has each account redeem the code in a process of its own: all have looked, and wait for the code, when the first gets it. */
async function redeemAtOnce(userIds: readonly string[], code: string) {
  const processes = userIds.map(() => connect(database.url, 1, () => {}));
  const holder = await database.pool.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM promo_codes WHERE code = $1 FOR UPDATE", [code]);
  const redeeming = userIds.map((userId, index) => redeem(userId, code, processes[index]?.db));
  await eventually(async () => {
    const { rowCount } = await database.pool.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return rowCount === userIds.length;
  }, "all of them wait");
  await holder.query("COMMIT");
  holder.release();
  const redemptions = await Promise.all(redeeming);
  await Promise.all(processes.map(({ pool }) => endPool(pool)));
  return redemptions;
}

test("twenty spellings of one mailbox at once: one gets it, and the others take no use", async () => {
  const code = await newCode();
  const redemptions = await redeemAtOnce(await createSpellings(20), code);
  const given = redemptions.filter(({ ok }) => ok);
  const outcome = await outcomeOf(code);
  console.log(`twenty spellings at once: ${given.length} given, ${JSON.stringify(outcome)}`);
  expect(given).toHaveLength(1);
  expect(redemptions.filter(({ ok }) => !ok)).toEqual(Array.from({ length: 19 }, () => REFUSED));
  expect(outcome).toEqual({ used_count: 1, grants: 1 });
  expect(await findViolations(database.pool)).toEqual([]);
});

test("a spelling too many leaves its use to the next", async () => {
  const code = await newCode({ oncePerMailbox: true, maxUses: "2" });
  const users = [...(await createSpellings(3)), await createAccount()];
  const redemptions = await redeemAtOnce(users, code);
  expect(redemptions.slice(0, 3).filter(({ ok }) => ok)).toHaveLength(1);
  expect(redemptions[3]).toMatchObject(GIVEN);
  expect(await outcomeOf(code)).toEqual({ used_count: 2, grants: 2 });
});
