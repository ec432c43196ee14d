import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase, statementsOf } from "../../test/database.ts";
import { createSignedInUser } from "../../test/users.ts";
import { readConfig } from "../config/config.server.ts";
import { createLog } from "../log/log.server.ts";
import { createAuth } from "./auth.server.ts";
import { notifyOwner } from "./notify-owner.server.ts";
import { checkPassword, findPasswordByEmail } from "./passwords.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

const openAuth = () =>
  createAuth(readConfig({ AUTH_SECRET: "x".repeat(32) }), database.db, createLog("silent"));

// How long that takes is measured by `npm run bench -- answer-times`.
test("an address nobody has costs the work of one with an account: the same statements, one hash of the same size", async () => {
  const auth = openAuth();
  const { password } = await auth.$context;
  const { id } = await createSignedInUser(database.pool);
  const hash = await password.hash("correct horse battery");
  await database.pool.query("UPDATE account SET password = $1 WHERE user_id = $2", [hash, id]);
  const verify = vi.spyOn(password, "verify");
  const works = [];
  for (const email of [`${id}@example.com`, "nobody@example.com"]) {
    works.push({
      signIn: await statementsOf(database.url, async (db) => {
        const kept = await findPasswordByEmail(db, email);
        expect(await checkPassword({ auth }, kept, "not the password")).toBeNull();
      }),
      reset: await statementsOf(database.url, (db) => notifyOwner({ db }, "reset", email)),
    });
  }
  expect(works[0]?.signIn).toHaveLength(1);
  expect(works[0]?.reset).toHaveLength(1);
  expect(works[1]).toEqual(works[0]);
  const hashes = verify.mock.calls.map(([{ hash }]) => hash);
  expect(hashes).toEqual([hash, expect.not.stringMatching(hash)]);
  expect(hashes.map((hash) => hash.replace(/[0-9a-f]/g, "x"))).toEqual(
    Array(2).fill(hash.replace(/[0-9a-f]/g, "x")),
  );
});

test("a hash that failed once is made again for the next unknown address", async () => {
  // Of this module's own: what it keeps is kept for all others.
  vi.resetModules();
  const { checkPassword } = await import("./passwords.server.ts");
  const auth = openAuth();
  const { password } = await auth.$context;
  const { hash } = password;
  // As when the machine has no memory left for scrypt.
  password.hash = () => Promise.reject(new Error("no memory"));
  await expect(checkPassword({ auth }, null, "some password")).rejects.toThrow("no memory");
  password.hash = hash;
  expect(await checkPassword({ auth }, null, "some password")).toBeNull();
});
