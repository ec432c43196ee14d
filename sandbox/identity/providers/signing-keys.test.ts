import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestIdentity, type TestIdentity } from "../../testing/identity.ts";
import { openIdentitySandbox } from "../identity.ts";

let running: TestIdentity;
beforeAll(async () => {
  running = await startTestIdentity();
});
afterAll(() => running.close());

const jwks = async (): Promise<JSONWebKeySet> => (await running.get("/google/jwks")).json();

async function idToken(): Promise<string> {
  const { codeOf, exchange } = running;
  return (await (await exchange("google", await codeOf("google"))).json()).id_token;
}

test("several processes on an empty database end with one key", async () => {
  const { pool, options } = running;
  await pool.query("DROP SCHEMA sandbox_identity CASCADE");
  await Promise.all(Array.from({ length: 4 }, () => openIdentitySandbox(options)));
  const { keys } = await jwks();
  expect(keys).toHaveLength(1);
  await openIdentitySandbox(options);
  expect((await jwks()).keys).toEqual(keys);
});

test("after a rotation the new key signs, and what the old one signed is still good", async () => {
  const before = await idToken();
  const { keys } = await jwks();
  await running.setKnobs({ rotate_keys: true });
  const after = await idToken();
  const all = await jwks();
  expect(all.keys).toHaveLength(keys.length + 1);
  expect(decodeProtectedHeader(after).kid).toBe(all.keys[0]?.kid);
  expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid);
  for (const token of [before, after])
    expect((await jwtVerify(token, createLocalJWKSet(all))).payload).toHaveProperty("email");
  await expect(jwtVerify(after, createLocalJWKSet({ keys }))).rejects.toThrow("no applicable key");
});
