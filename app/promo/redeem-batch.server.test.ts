import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase, statementsOf } from "../../test/database.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { connect, type Database, endPool } from "../db/client.server.ts";
import { createGatherer } from "../db/gather.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { redeemPromoCode } from "./redeem.server.ts";
import { type Outcome, redeemBatch } from "./redeem-batch.server.ts";
import type { Attempt } from "./redeem-facts.server.ts";
import type { Redemption } from "./redemption.ts";

const USES = 5;
const PEOPLE = 12;
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

type Redeem = (userId: string, code: string) => Promise<Redemption>;

/** More people than uses at once, one of whom has deleted their account. @returns what is not as it was told to them */
async function findDifferences(redeemOne: Redeem): Promise<string[]> {
  const code = await addCode(USES);
  const users = [...(await people(PEOPLE)), "nobody"];
  const told = await Promise.all(
    users.map(async (userId) => {
      const { ok } = await redeemOne(userId, code);
      // From another connection, the moment they are told.
      const { rowCount } = await database.pool.query(
        "SELECT FROM grants WHERE user_id = $1 AND promo_code = $2",
        [userId, code],
      );
      return { userId, ok, has: rowCount === 1 };
    }),
  );
  const given = told.filter(({ ok }) => ok).length;
  return [
    ...(given === USES ? [] : [`${given} were told that they have it`]),
    ...told.flatMap(({ userId, ok, has }) => (ok === has ? [] : [`${userId} was told ${ok} and has ${has}`])),
  ];
}

test("more people than uses at once: each is told what they have, when they have it", async () => {
  expect(await findDifferences(redeem)).toEqual([]);
});

const attemptOf = (userId: string, code: string): Attempt => ({
  ...{ secrets: config, userId, code, chosenTier: undefined, confirmed: undefined },
});

/** A gatherer as it should not be. */
function gatherBadly(run: (attempts: readonly Attempt[]) => Promise<(Outcome | undefined)[]>): Redeem {
  const gather = createGatherer({ run, most: 64, atOnce: 1 });
  return async (userId, code) =>
    (await gather(attemptOf(userId, code)))?.redemption ?? { ok: false, message: "left" };
}

test("the same test catches a gatherer that answers all of a batch alike", async () => {
  const alike = gatherBadly(async (attempts) => {
    const { outcomes } = await redeemBatch(database.db, attempts, "nothing");
    const [first] = outcomes.values();
    return attempts.map(() => first);
  });
  expect(await findDifferences(alike)).not.toEqual([]);
});

test("and one that answers before the commit, which may still fail", async () => {
  const early = gatherBadly((attempts) => {
    const answered = Promise.withResolvers<(Outcome | undefined)[]>();
    const db = whoseTransactions((work, target) =>
      target.transaction(async (tx) => {
        const { outcomes } = (await work(tx)) as Awaited<ReturnType<typeof redeemBatch>>;
        answered.resolve(attempts.map((attempt) => outcomes.get(attempt)));
        throw new Error("the connection is gone");
      }),
    );
    redeemBatch(db, attempts, "nothing").catch(answered.reject);
    return answered.promise;
  });
  expect(await findDifferences(early)).not.toEqual([]);
});

function whoseTransactions(
  run: (work: Parameters<Database["transaction"]>[0], target: Database) => Promise<unknown>,
): Database {
  return new Proxy(database.db, {
    get: (target, property, receiver) =>
      property === "transaction"
        ? (work: Parameters<Database["transaction"]>[0]) => run(work, target)
        : Reflect.get(target, property, receiver),
  });
}

test("one takes six statements, and forty at once take no more", async () => {
  const code = await addCode();
  const count = async (redemptions: number) => {
    const users = await people(redemptions);
    const work = (db: Database) => Promise.all(users.map((userId) => redeem(userId, code, db)));
    return (await statementsOf(database.url, work)).length;
  };
  expect([await count(1), await count(40)]).toEqual([6, 6]);
});

test("somebody whose account or code is held by others keeps nobody else waiting", async () => {
  const [free, held] = [await addCode(), await addCode()];
  const users = await people(10);
  const [locked = "", atHeld = "", ...others] = users;
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

test("one for whom the database fails, fails alone", async () => {
  const code = await addCode();
  const users = await people(20);
  const bad = users[13] ?? "";
  await database.pool.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'not this one'; END $$`);
  await database.pool.query(`CREATE TRIGGER fail BEFORE INSERT ON grants FOR EACH ROW
    WHEN (new.user_id = '${bad}') EXECUTE FUNCTION fail()`);
  const outcomes = await Promise.allSettled(users.map((userId) => redeem(userId, code)));
  await database.pool.query("DROP TRIGGER fail ON grants");
  expect(outcomes.map(({ status }) => status)).toEqual(
    users.map((userId) => (userId === bad ? "rejected" : "fulfilled")),
  );
  const { rows } = await database.pool.query("SELECT used_count FROM promo_codes WHERE code = $1", [code]);
  expect(rows).toEqual([{ used_count: users.length - 1 }]);
});

test("two codes of one person in a batch: the second is weighed against what the first gave", async () => {
  const [user = "", first = ""] = await people(2);
  const [one, two, busy] = [await addCode(), await addCode(), await addCode()];
  await database.pool.query("UPDATE promo_codes SET duration_months = 3 WHERE code = $1", [one]);
  // The first runs by itself, so that the two are in one batch.
  const all = await Promise.all([redeem(first, busy), redeem(user, one), redeem(user, two)]);
  expect(all.map(({ ok }) => ok)).toEqual([true, true, false]);
  expect(all[2]).toMatchObject({ unused: { code: two, follows: false } });
});

test("three processes, hot and other codes mixed: every use once, and no deadlock", async () => {
  const codes = [await addCode(30), await addCode(30), await addCode()];
  const processes = Array.from({ length: 3 }, () => connect(database.url, 8, () => {}));
  // 36 for each code.
  const users = await people(108);
  const answers = await Promise.all(
    users.map(async (userId, index) => {
      const { db } = processes[index % 3] ?? database;
      return redeem(userId, codes[Math.floor(index / 3) % 3] ?? "", db);
    }),
  );
  await Promise.all(processes.map(({ pool }) => endPool(pool)));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(30 + 30 + 36);
  const { rows } = await database.pool.query(
    "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
});
