import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { changeEmail } from "../account/change-email.server.ts";
import { deleteAccount } from "../account/delete-account.server.ts";
import { createMailLink } from "../auth/mail-links.server.ts";
import { user } from "../auth/schema.ts";
import { createUser } from "../auth/users.server.ts";
import { createLog } from "../log/log.server.ts";
import { makeBatchCodes } from "./batches.server.ts";
import { rememberAddress } from "./once-per-person.server.ts";
import { config, REFUSED, setupPromo } from "./promo.fixture.ts";
import { type Redemption, redeemPromoCode } from "./redeem.server.ts";

const GIVEN = { ok: true, isRepeat: false };

const { database, redeem, newCode, usesOf, whileHeld, redeemAtOnce } = setupPromo();

const newAddress = () => `${randomUUID()}@example.com`;

async function createAccount(email = newAddress()): Promise<string> {
  const signIn = { passwordHash: "a hash that no password has" };
  const id = await createUser(database.db, { email, name: "Ada", emailVerified: false, signIn });
  if (!id) throw new Error(`${email} has an account`);
  return id;
}

/** Spellings of one new mailbox, each of a new account. @returns the accounts' ids */
async function createSpellings(count: number): Promise<string[]> {
  const name = randomUUID();
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      createAccount(`${index ? `${name}+${index}` : name}@example.com`),
    ),
  );
}

function deleteUser(userId: string) {
  const payments = { isOn: false, reason: "none here" } as const;
  const app = { config, db: database.db, payments, log: createLog("silent") };
  return deleteAccount(app, userId, null);
}

async function changeTo(userId: string, email: string) {
  const token = await createMailLink(database.db, "change_email", { userId, email });
  const proof = { passwordHash: "a hash that no password has" };
  expect(await changeEmail({ config, db: database.db }, token, proof)).toBe("changed");
}

test("deleted and signed up again, in capitals too: the code is not given twice, others get it", async () => {
  const [email, code, other] = [newAddress(), await newCode(), await newCode()];
  for (const again of [email, email.toUpperCase()]) {
    const userId = await createAccount(again);
    expect(await redeem(userId, code)).toMatchObject(again === email ? { ok: true } : REFUSED);
    expect(await deleteUser(userId)).toBe("deleted");
  }
  expect(await usesOf(code)).toMatchObject({ uses: 1 });
  expect(await redeem(await createAccount(email), other)).toMatchObject({ ok: true });
  expect(await redeem(await createAccount(), code)).toMatchObject({ ok: true });
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
  expect(await usesOf(code)).toMatchObject({ uses: 1 });
});

test("what is kept names nobody, and is another for each code", async () => {
  const codes = [await newCode(), await newCode({ months: "2" })];
  const userId = await createAccount();
  for (const code of codes) await redeem(userId, code);
  const kept = () =>
    database.pool.query("SELECT email_hash FROM redeemed_addresses WHERE promo_code = ANY($1)", [codes]);
  expect((await kept()).rows, "nothing, while the account is there").toEqual([]);
  await deleteUser(userId);
  const hashes = (await kept()).rows.map((row) => row.email_hash);
  expect(new Set(hashes).size).toBe(2);
  expect(hashes.join()).toMatch(/^[\w-]{43},[\w-]{43}$/);
});

test("a redemption while the account is deleted is remembered; one after that is refused", async () => {
  const [email, code] = [newAddress(), await newCode()];
  const userId = await createAccount(email);
  const ends = await whileHeld(code, [() => redeem(userId, code), () => deleteUser(userId)]);
  expect(ends).toMatchObject([{ ok: true }, "deleted"]);
  expect(await redeem(await createAccount(email), code)).toEqual(REFUSED);
  expect(await usesOf(code)).toMatchObject({ uses: 1 });

  const late = await createAccount();
  await deleteUser(late);
  expect(await redeem(late, code)).toEqual({
    ok: false,
    status: 401,
    message: "User must be logged in to apply a promo code",
  });
});

test("the same test catches a deletion that looks before it locks", async () => {
  const [email, code] = [newAddress(), await newCode()];
  const userId = await createAccount(email);
  const naiveDeletion = async () => {
    await rememberAddress(database.db, config, { id: userId, email });
    await database.db.delete(user).where(eq(user.id, userId));
  };
  await whileHeld(code, [() => redeem(userId, code), naiveDeletion]);
  expect(await redeem(await createAccount(email), code)).toMatchObject({ ok: true });
  expect(await usesOf(code)).toMatchObject({ uses: 2 });
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
  expect(await usesOf(code)).toMatchObject({ uses: emails.length });
});

test("without the setting each spelling of a mailbox gets the code, and no hash is kept", async () => {
  const code = await newCode();
  for (const userId of await createSpellings(2)) expect(await redeem(userId, code)).toMatchObject(GIVEN);
  const { rows } = await database.pool.query("SELECT mailbox_hash FROM grants WHERE promo_code = $1", [code]);
  expect(rows).toEqual([{ mailbox_hash: null }, { mailbox_hash: null }]);
});

test("once per mailbox the second spelling is refused and takes no use, also after the first account is deleted", async () => {
  const [code, other] = [await newCode({ oncePerMailbox: true }), await newCode({ oncePerMailbox: true })];
  const [first = "", second = ""] = await createSpellings(2);
  expect(await redeem(first, code)).toMatchObject(GIVEN);
  expect(await redeem(second, code)).toEqual(REFUSED);
  expect(await redeem(first, code)).toMatchObject({ ok: true, isRepeat: true });
  expect(await redeem(second, other), "another code").toMatchObject(GIVEN);
  expect(await usesOf(code)).toEqual({ uses: 1, grants: 1 });
  expect(await deleteUser(first)).toBe("deleted");
  expect(await redeem(second, code)).toEqual(REFUSED);
  expect(await redeem(await createAccount(), code)).toMatchObject(GIVEN);
});

test("it counts redemptions from when it is turned on, and refuses none while it is off", async () => {
  const turn = (isOn: boolean) =>
    database.pool.query("UPDATE promo_codes SET once_per_mailbox = $2 WHERE code = $1", [code, isOn]);
  const code = await newCode();
  const [before = "", first = "", second = "", third = ""] = await createSpellings(4);
  await redeem(before, code);
  await turn(true);
  expect(await redeem(first, code)).toMatchObject(GIVEN);
  expect(await redeem(second, code)).toEqual(REFUSED);
  await turn(false);
  expect(await redeem(second, code)).toMatchObject(GIVEN);
  await turn(true);
  expect(await redeem(third, code)).toEqual(REFUSED);
});

test("the codes of a batch have what the batch says", async () => {
  const id = randomUUID();
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

test("a hash of the secret before counts while that is set, of an account and of a mailbox", async () => {
  const authSecrets = ["a secret that came after", config.authSecret];
  const redeemAfter = (userId: string, code: string, secrets = authSecrets) =>
    redeemPromoCode(
      { db: database.db, config: { authSecret: authSecrets[0] ?? "", authSecrets: secrets } },
      userId,
      { code },
    );
  const [email, once, oncePerMailbox] = [
    newAddress(),
    await newCode(),
    await newCode({ oncePerMailbox: true }),
  ];
  const before = await createAccount(email);
  expect(await redeem(before, once)).toMatchObject(GIVEN);
  await deleteUser(before);
  const again = await createAccount(email);
  expect(await redeemAfter(again, once)).toMatchObject(REFUSED);
  expect(await redeemAfter(again, once, ["a secret that came after"])).toMatchObject(GIVEN);

  const [one = "", other = ""] = await createSpellings(2);
  expect(await redeem(one, oncePerMailbox)).toMatchObject(GIVEN);
  expect(await redeemAfter(other, oncePerMailbox)).toMatchObject(REFUSED);
});

test("twenty spellings of one mailbox at once: one gets it, and the others take no use", async () => {
  const code = await newCode({ oncePerMailbox: true });
  const redemptions = await redeemAtOnce(await createSpellings(20), code);
  expect(redemptions.filter(({ ok }) => ok)).toHaveLength(1);
  expect(redemptions.filter(({ ok }) => !ok)).toEqual(Array.from({ length: 19 }, () => REFUSED));
  expect(await usesOf(code)).toEqual({ uses: 1, grants: 1 });
});

test("a spelling too many leaves its use to the next", async () => {
  const code = await newCode({ oncePerMailbox: true, maxUses: "2" });
  const redemptions = await redeemAtOnce([...(await createSpellings(3)), await createAccount()], code);
  expect(redemptions.slice(0, 3).filter(({ ok }) => ok)).toHaveLength(1);
  expect(redemptions[3]).toMatchObject(GIVEN);
  expect(await usesOf(code)).toEqual({ uses: 2, grants: 2 });
});
