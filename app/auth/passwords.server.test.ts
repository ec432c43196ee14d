import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase, statementsOf } from "../../test/database.ts";
import { createSignedInUser } from "../../test/users.ts";
import { notifyOwner } from "./notify-owner.server.ts";
import { checkHash, hashPassword } from "./password-hash.server.ts";
import { checkPassword, findPasswordByEmail } from "./passwords.server.ts";

// A spy instead of a module mock, because test files share their modules.
const scrypt = vi.spyOn(crypto, "scrypt");
syncBuiltinESMExports();

afterAll(() => {
  scrypt.mockRestore();
  syncBuiltinESMExports();
});

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

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
    expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
    expect(await checkHash(hash, OLD.password)).toBe(true);
    expect(await checkHash(hash, `${OLD.password} `)).toBe(false);
  }
});

test("an unknown address costs as many hashes as a known one, and so does what is no hash", async () => {
  const kept = [
    null,
    { userId: "ada", hash: OLD.hash },
    { userId: "ada", hash: "a hash that no password has" },
  ];
  for (const stored of kept) {
    scrypt.mockClear();
    expect(await checkPassword(stored, "some password")).toBeNull();
    expect(scrypt).toHaveBeenCalledOnce();
  }
});

// How long that takes is measured by `npm run bench -- answer-times`.
test("an address nobody has costs the work of one with an account: the same statements, one hash", async () => {
  const { id } = await createSignedInUser(database.pool);
  await database.pool.query("UPDATE account SET password = $1 WHERE user_id = $2", [OLD.hash, id]);
  const works = [];
  for (const email of [`${id}@example.com`, "nobody@example.com"]) {
    scrypt.mockClear();
    works.push({
      signIn: await statementsOf(database.url, async (db) => {
        expect(await checkPassword(await findPasswordByEmail(db, email), "not the password")).toBeNull();
      }),
      reset: await statementsOf(database.url, (db) => notifyOwner({ db }, "reset", email)),
      // Of the same size: salt, length and cost.
      hashes: vi
        .mocked(scrypt)
        .mock.calls.map(([, salt, length, cost]) => [String(salt).length, length, cost]),
    });
  }
  expect(works[0]?.signIn).toHaveLength(1);
  expect(works[0]?.reset).toHaveLength(1);
  expect(works[0]?.hashes).toHaveLength(1);
  expect(works[1]).toEqual(works[0]);
});

test("a hash that failed once is made again for the next unknown address", async () => {
  scrypt.mockImplementationOnce((...args: unknown[]) => {
    // As when the machine has no memory left for scrypt.
    (args.at(-1) as (error: Error) => void)(new Error("no memory"));
  });
  await expect(checkPassword(null, "some password")).rejects.toThrow("no memory");
  expect(await checkPassword(null, "some password")).toBeNull();
});
