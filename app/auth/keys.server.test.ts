import { decodeProtectedHeader } from "jose";
import { expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { readConfig } from "../config/config.server.ts";
import { connect } from "../db/client.server.ts";
import { createLog } from "../log/log.server.ts";
import { deleteUnreadableKeys, ensureSigningKey, publicKeys, signPayload } from "./keys.server.ts";

test("many processes that start at once make one key, each with no more than one connection", async () => {
  const database = await openDatabase();
  const config = readConfig({ AUTH_SECRET });
  const processes = Array.from({ length: 4 }, () => connect(database.url, 1, () => {}, 5));
  await Promise.all(processes.map(({ db }) => ensureSigningKey({ config, db })));
  expect((await database.pool.query("SELECT FROM jwks")).rowCount).toBe(1);
  await Promise.all(processes.map(({ pool }) => pool.end()));
  await database.close();
});

test("a key of Better Auth, which we used before, is published for its last day and signs nothing", async () => {
  const database = await openDatabase();
  const { db, pool } = database;
  const app = { config: readConfig({ AUTH_SECRET }), db, log: createLog("silent") };
  await pool.query(
    `INSERT INTO jwks (id, public_key, private_key, alg, expires_at)
     VALUES ('before', '{"kty":"EC","crv":"P-256","x":"x","y":"y"}', '"$ba$1$00"', 'ES256', now())`,
  );
  const { kid } = decodeProtectedHeader(await signPayload(app, { sub: "ada" }));
  expect(kid).not.toBe("before");
  const published = (await publicKeys(app)).keys.map((key) => key.kid);
  expect(new Set(published)).toEqual(new Set(["before", kid]));
  await database.close();
});

test("a key of the secret before signs while that is set, and is replaced once it is not", async () => {
  const database = await openDatabase();
  const { db } = database;
  const next = "the secret that comes after that one, as long";
  const both = { AUTH_SECRET: next, AUTH_SECRET_BEFORE: AUTH_SECRET };
  const signWith = async (settings: Record<string, string>) => {
    const app = { config: readConfig(settings), db, log: createLog("silent") };
    return decodeProtectedHeader(await signPayload(app, { sub: "ada" })).kid;
  };
  const kid = await signWith({ AUTH_SECRET });
  expect(await deleteUnreadableKeys(db, readConfig(both).authSecrets)).toBe(0);
  expect(await signWith(both)).toBe(kid);
  expect(await signWith({ AUTH_SECRET: next })).not.toBe(kid);
  expect((await database.pool.query("SELECT FROM jwks")).rowCount).toBe(1);
  await database.close();
});
