import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { deleteAccount } from "../account/delete-account.server.ts";
import { changeEmail } from "../auth/change-email.server.ts";
import { createUser } from "../auth/create-user.server.ts";
import { createMailLink } from "../auth/mail-links.server.ts";
import { user } from "../auth/schema.ts";
import { readConfig } from "../config/config.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { createLog } from "../log/log.server.ts";
import { createUserHooks } from "../user-hooks.server.ts";
import { rememberAddress } from "./once-per-person.server.ts";
import { createPromoCode } from "./promo-codes.server.ts";
import { newPromoCode } from "./promo-terms.server.ts";
import { redeemPromoCode } from "./redeem.server.ts";
import type { Redemption } from "./redemption.ts";
import { promoCodes } from "./schema.ts";

const config = readConfig({ AUTH_SECRET: "x".repeat(32) });
const userHooks = createUserHooks(config);
const REFUSED = { ok: false, message: "Invalid or expired promo code" };

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(async () => {
  expect(await findViolations(database.pool)).toEqual([]);
  await database.close();
});

const newAddress = () => `${randomUUID()}@example.com`;

async function newCode(months = "1"): Promise<string> {
  const code = randomUUID().toUpperCase();
  await createPromoCode(database.db, newPromoCode.parse({ code, months }));
  return code;
}

async function createAccount(email: string): Promise<string> {
  const signIn = { passwordHash: "a hash that no password has" };
  const id = await createUser(database.db, { email, name: "Ada", emailVerified: false, signIn });
  if (!id) throw new Error(`${email} has an account`);
  return id;
}

const redeem = (userId: string, code: string) =>
  redeemPromoCode({ config, db: database.db }, userId, { code });

function deleteUser(userId: string) {
  const payments = { isOn: false, reason: "none here" } as const;
  return deleteAccount(
    { config, db: database.db, payments, log: createLog("silent"), userHooks },
    userId,
    null,
  );
}

async function changeTo(userId: string, email: string) {
  const token = await createMailLink(database.db, "change_email", { userId, email });
  const proof = { passwordHash: "a hash that no password has" };
  expect(await changeEmail({ config, db: database.db, userHooks }, token, proof)).toBe("changed");
}

async function usesOf(code: string) {
  const [promo] = await database.db.select().from(promoCodes).where(eq(promoCodes.code, code));
  return promo?.usedCount;
}

test("deleted and signed up again, in capitals too: the code is not given twice, others get it", async () => {
  const [email, code, other] = [newAddress(), await newCode(), await newCode()];
  for (const again of [email, email.toUpperCase()]) {
    const userId = await createAccount(again);
    expect(await redeem(userId, code)).toMatchObject(again === email ? { ok: true } : REFUSED);
    expect(await deleteUser(userId)).toBe("deleted");
  }
  expect(await usesOf(code)).toBe(1);
  expect(await redeem(await createAccount(email), other)).toMatchObject({ ok: true });
  expect(await redeem(await createAccount(newAddress()), code)).toMatchObject({ ok: true });
});

test("with another address meanwhile: neither the old nor the new one gets the code again", async () => {
  const [first, second, third, code] = [newAddress(), newAddress(), newAddress(), await newCode()];
  const userId = await createAccount(first);
  await redeem(userId, code);
  await changeTo(userId, second);
  expect(await redeem(await createAccount(first), code)).toEqual(REFUSED);
  await changeTo(userId, third);
  expect(await redeem(userId, code)).toMatchObject({ ok: true, isRepeat: true });
  await deleteUser(userId);
  for (const email of [second, third])
    expect(await redeem(await createAccount(email), code)).toEqual(REFUSED);
  expect(await usesOf(code)).toBe(1);
});

test("what is kept names nobody, and is another for each code", async () => {
  const [email, codes] = [newAddress(), [await newCode(), await newCode("2")]];
  const userId = await createAccount(email);
  for (const code of codes) await redeem(userId, code);
  const kept = () =>
    database.pool.query("SELECT email_hash FROM redeemed_addresses WHERE promo_code = ANY($1)", [codes]);
  expect((await kept()).rows, "nothing, while the account is there").toEqual([]);
  await deleteUser(userId);
  const hashes = (await kept()).rows.map((row) => row.email_hash);
  expect(new Set(hashes).size).toBe(2);
  expect(hashes.join()).toMatch(/^[\w-]{43},[\w-]{43}$/);
});

test("redeemed while the account is deleted: either the code stays and is remembered, or nobody is there", async () => {
  const [email, code] = [newAddress(), await newCode()];
  const userId = await createAccount(email);
  const ends = await whileLocked(
    code,
    () => redeem(userId, code),
    () => deleteUser(userId),
  );
  expect(ends).toMatchObject([{ ok: true }, "deleted"]);
  expect(await redeem(await createAccount(email), code)).toEqual(REFUSED);
  expect(await usesOf(code)).toBe(1);

  const late = await createAccount(newAddress());
  await deleteUser(late);
  expect(await redeem(late, code)).toEqual({
    ok: false,
    message: "User must be logged in to apply a promo code",
  });
});

test("the same test catches a deletion that looks before it locks", async () => {
  const [email, code] = [newAddress(), await newCode()];
  const userId = await createAccount(email);
  await whileLocked(
    code,
    () => redeem(userId, code),
    async () => {
      await rememberAddress(database.db, config, { id: userId, email });
      await database.db.delete(user).where(eq(user.id, userId));
    },
  );
  expect(await redeem(await createAccount(email), code)).toMatchObject({ ok: true });
  expect(await usesOf(code)).toBe(2);
});

test("many who delete, sign up again and redeem at once: each person has the code once", async () => {
  const code = await newCode();
  const emails = Array.from({ length: 10 }, newAddress);
  await Promise.all(
    emails.map(async (email) => {
      const userId = await createAccount(email);
      const deletion = deleteUser(userId);
      let isOver = false;
      const comeBack = async (): Promise<Redemption> => {
        const isLast = isOver;
        const again = await createAccount(email).catch(() => null);
        if (again) return redeem(again, code);
        if (isLast) throw new Error("the address is still taken");
        return comeBack();
      };
      const [first, second] = await Promise.all([
        redeem(userId, code),
        comeBack(),
        deletion.then(() => {
          isOver = true;
        }),
      ]);
      expect([first.ok, second.ok].filter(Boolean)).toHaveLength(1);
    }),
  );
  expect(await usesOf(code)).toBe(emails.length);
});

/** Holds the code's row while they begin, each once the one before it waits: the worst moment, made sure of. */
async function whileLocked(code: string, ...begin: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const begun = await database.db.transaction(async (tx) => {
    await tx.execute(sql`SELECT FROM promo_codes WHERE code = ${code} FOR UPDATE`);
    const begun: Promise<unknown>[] = [];
    for (const work of begin) {
      begun.push(work());
      await eventually(async () => (await countWaiting()) === begun.length, "all of them wait");
    }
    return begun;
  });
  return Promise.all(begun);
}

async function countWaiting(): Promise<number> {
  const { rows } = await database.pool.query(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rows[0].n;
}
