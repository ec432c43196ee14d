import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { openDatabase, statementsOf } from "../../test/database.ts";
import { createSignedInUser } from "../../test/users.ts";
import type { Database } from "../db/client.server.ts";
import { notifyOwner } from "./mail-links.server.ts";
import { checkHash, checkPassword, findPasswordByEmail, hashPassword } from "./passwords.server.ts";

const real = crypto.scrypt;
// A spy instead of a module mock, because test files share their modules.
const scrypt = vi.spyOn(crypto, "scrypt");
syncBuiltinESMExports();

afterAll(() => {
  scrypt.mockRestore();
  syncBuiltinESMExports();
});

const database = sharedDatabase();

/** Made by better-auth 1.7.7, which hashed passwords until decision 0034. */
const OLD = {
  // With a ligature and a letter that may be written in two ways.
  password: "ﬁve Ångström lanterns 12",
  hash: "eb71db0d9715db9d6455e7796da48893:6d29b454b5164569a5708cb195176dd5faa136e9578d91b4828fbed4ec5f18068c337d018da35326bfd56b3fe5199568ecf7e5fd571d550e13c5295f004bbd4c",
};

test("passwords of before go on working, however they are typed", async () => {
  expect(await checkHash(OLD.hash, OLD.password)).toBe(true);
  expect(await checkHash(OLD.hash, OLD.password.normalize("NFD"))).toBe(true);
  expect(await checkHash(OLD.hash, "five Ångström lanterns 12")).toBe(true);
  expect(await checkHash(OLD.hash, "five Angström lanterns 12")).toBe(false);
});

test("a hash is another each time, and only its password has it", async () => {
  const hashes = [await hashPassword(OLD.password), await hashPassword(OLD.password)];
  expect(new Set(hashes).size).toBe(2);
  for (const hash of hashes) {
    // OWASP, Password Storage Cheat Sheet: N=2^15, r=8, p=3 is as much work as N=2^17, r=8, p=1.
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{86}$/);
    expect(await checkHash(hash, OLD.password)).toBe(true);
    expect(await checkHash(hash, `${OLD.password} `)).toBe(false);
  }
});

describe("with quick hashes", () => {
  beforeAll(() => {
    scrypt.mockImplementation((password, salt, length, cost, done) =>
      real(password, salt, length, { ...cost, N: cost.N === 2 ** 15 ? 2 ** 8 : cost.N }, done),
    );
  });

  /** Has scrypt answer at once. @param derive what it does instead */
  async function withoutHashing(
    work: () => Promise<unknown>,
    derive: (done: () => void) => void = setImmediate,
  ): Promise<void> {
    const original = scrypt.getMockImplementation();
    scrypt.mockImplementation((...args: unknown[]) => {
      const done = args.at(-1) as (error: null, key: Buffer) => void;
      derive(() => done(null, Buffer.alloc(64)));
    });
    await work();
    if (original) scrypt.mockImplementation(original);
    else scrypt.mockReset();
  }

  /** What scrypt was given to derive since it was last cleared. */
  const derivations = () => vi.mocked(scrypt).mock.calls.map(([, , , { N = 0, r = 0, p = 0 }]) => [N, r, p]);

  const TODAY = [2 ** 15, 8, 3];
  const BEFORE = [2 ** 14, 16, 1];

  test("an unknown address costs the derivations of one with a hash of any kind, and so does what is no hash", async () => {
    const today = await hashPassword("another password");
    const derivedFor = async (db: Database, hash: string | null) => {
      scrypt.mockClear();
      expect(await checkPassword(db, hash ? { userId: "ada", hash } : null, "some password")).toBeNull();
      return derivations();
    };
    const fresh = await openDatabase();
    await withoutHashing(async () => {
      for (const hash of [null, today, "no hash at all", "$scrypt$ln=15$none"])
        expect([hash, await derivedFor(fresh.db, hash)]).toEqual([hash, [TODAY]]);
    });
    await fresh.close();

    // While one account has an old hash, each check derives a key of either kind.
    const { id } = await createSignedInUser(database.pool);
    await database.pool.query("UPDATE account SET password = $1 WHERE user_id = $2", [OLD.hash, id]);
    await withoutHashing(async () => {
      for (const hash of [null, OLD.hash, today, "no hash at all", "$scrypt$ln=15$none"])
        expect([hash, await derivedFor(database.db, hash)]).toEqual([hash, [BEFORE, TODAY]]);
    });
  });

  test("a right password with an old hash is hashed anew, once, by any number of sign-ins at once; a wrong one changes nothing", async () => {
    const { id } = await createSignedInUser(database.pool);
    await database.pool.query("UPDATE account SET password = $1 WHERE user_id = $2", [OLD.hash, id]);
    const stored = { userId: id, hash: OLD.hash };
    const kept = async () =>
      (await database.pool.query("SELECT password FROM account WHERE user_id = $1", [id])).rows[0].password;
    expect(await checkPassword(database.db, stored, "not the password")).toBeNull();
    expect(await kept()).toBe(OLD.hash);
    const checked = await Promise.all([1, 2, 3].map(() => checkPassword(database.db, stored, OLD.password)));
    expect(await kept()).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    // Of none of them it looks as if the password had changed since.
    expect(checked).toEqual(Array(3).fill({ userId: id, hash: await kept() }));
    expect(await checkHash(await kept(), OLD.password)).toBe(true);
  });

  test("a password that was changed meanwhile is not set back by hashing it anew", async () => {
    const { id } = await createSignedInUser(database.pool);
    const changed = await hashPassword("another password");
    await database.pool.query("UPDATE account SET password = $1 WHERE user_id = $2", [changed, id]);
    const before = { userId: id, hash: OLD.hash };
    expect(await checkPassword(database.db, before, OLD.password)).toBeNull();
    expect(
      await checkPassword(database.db, { userId: id, hash: changed }, "another password"),
    ).not.toBeNull();
  });

  test("however many are asked for, two are hashed at a time and the others wait: files and names are looked up meanwhile", async () => {
    let [under, most] = [0, 0];
    const derive = (done: () => void) => {
      most = Math.max(most, ++under);
      setImmediate(() => {
        under--;
        done();
      });
    };
    await withoutHashing(
      () => Promise.all(Array.from({ length: 20 }, () => checkPassword(database.db, null, "some password"))),
      derive,
    );
    expect([most, under]).toEqual([2, 0]);
  });

  // How long that takes is measured by `npm run soak -- answer-times`.
  test("an unknown address costs the statements of one with an account", async () => {
    const { id } = await createSignedInUser(database.pool);
    const works = [];
    for (const email of [`${id}@example.com`, "nobody@example.com"]) {
      const signIn = await statementsOf(database.url, async (db) => {
        expect(await checkPassword(db, await findPasswordByEmail(db, email), "not the password")).toBeNull();
      });
      works.push({
        signIn,
        reset: await statementsOf(database.url, (db) => notifyOwner({ db }, "reset", email)),
      });
    }
    // Whether there are old hashes is asked once an hour.
    expect(works[0]?.signIn).toHaveLength(2);
    expect(works[0]?.reset).toHaveLength(1);
    expect(works[1]).toEqual(works[0]);
  });

  test("a hash that failed once is made again for the next unknown address", async () => {
    scrypt.mockImplementationOnce((...args: unknown[]) => {
      // As when the machine has no memory left for scrypt.
      (args.at(-1) as (error: Error) => void)(new Error("no memory"));
    });
    await expect(checkPassword(database.db, null, "some password")).rejects.toThrow("no memory");
    expect(await checkPassword(database.db, null, "some password")).toBeNull();
  });
});
