import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";
import { eventually } from "../test/http.ts";
import { createSignedInUser } from "../test/users.ts";
import { readConfig } from "./config/config.server.ts";
import { createLog } from "./log/log.server.ts";
import { endUnconfirmedAccounts } from "./unconfirmed-accounts.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

const config = readConfig({ AUTH_SECRET: "a secret of at least thirty-two characters" });

const sweep = () =>
  endUnconfirmedAccounts(
    { config, db: database.db, log: createLog("silent"), payments: { isOn: false, reason: "a test" } },
    () => false,
  );

/** An unconfirmed account: its age in days, and how many days ago its end was announced. */
async function createAccount(days: number, toldDays: number | null = null): Promise<string> {
  const { id } = await createSignedInUser(database.pool);
  await database.pool.query(
    `UPDATE "user" SET created_at = now() - make_interval(days => $2),
       ending_told_at = now() - make_interval(days => $3) WHERE id = $1`,
    [id, days, toldDays],
  );
  return id;
}

const isThere = async (id: string) =>
  (await database.pool.query(`SELECT FROM "user" WHERE id = $1`, [id])).rowCount === 1;

const mailsTo = async (id: string) =>
  (
    await database.pool.query(
      "SELECT FROM outbox WHERE kind = 'send_mail' AND strpos(payload::text, $1) > 0",
      [id],
    )
  ).rowCount;

test("an account nobody confirmed is told once, a week before, and then ends; an old one at an upgrade has that week, too", async () => {
  const [young, told, old] = [await createAccount(22), await createAccount(24), await createAccount(400)];
  await sweep();
  await sweep();
  expect(await Promise.all([young, told, old].map(mailsTo))).toEqual([0, 1, 1]);
  expect(await Promise.all([young, told, old].map(isThere))).toEqual([true, true, true]);
  const [early, due] = [await createAccount(31, 6), await createAccount(31, 8)];
  await sweep();
  expect(await Promise.all([old, early, due].map(isThere))).toEqual([true, true, false]);
  expect(await mailsTo(due)).toBe(0);
  const { rows } = await database.pool.query("SELECT subject FROM erasures WHERE id = $1", [due]);
  expect(rows).toEqual([{ subject: "user" }]);
});

test.each([
  ["confirmed it", `UPDATE "user" SET email_verified = true WHERE id = $1`],
  [
    "redeemed a code",
    `WITH code AS (INSERT INTO promo_codes (code, tier, duration_type) VALUES ('KEPT', 'basic', 'forever') RETURNING code)
     INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
       SELECT $1, $1, 'basic', 'promo', code, now() - interval '1 day' FROM code`,
  ],
  ["began to pay", "INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, 'cus_' || $1)"],
])("it stays when they %s meanwhile", async (_what, sql) => {
  const [untold, due] = [await createAccount(24), await createAccount(40, 8)];
  await database.pool.query(sql, [due]);
  await sweep();
  expect([await isThere(due), await mailsTo(due)]).toEqual([true, 0]);
  expect(await isThere(untold)).toBe(true);
});

test("who confirms while it is being deleted keeps it", async () => {
  const id = await createAccount(40, 8);
  const client = await database.pool.connect();
  await client.query("BEGIN");
  await client.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [id]);
  const ending = sweep();
  await eventually(
    async () => (await database.pool.query("SELECT FROM pg_locks WHERE NOT granted")).rowCount !== 0,
    "the deletion waits for who is confirming",
  );
  await client.query("COMMIT");
  client.release();
  await ending;
  expect(await isThere(id)).toBe(true);
});
