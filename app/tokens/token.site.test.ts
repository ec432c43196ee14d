import { decodeProtectedHeader } from "jose";
import { expect, test } from "vitest";
import { postForm } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { fetchToken, readToken } from "../../test/tokens.ts";
import { createSignedInUser, sessionTokenOf } from "../../test/users.ts";
import { hashSecret } from "../http/secret-token.server.ts";

const server = setupServer();

const signedIn = () => createSignedInUser(server.pool);

test("a token tells the holder of our public keys who its user is and what they may use", async () => {
  const { id, cookie } = await signedIn();
  const response = await fetch(`${server.origin}/api/token`, { headers: { cookie } });
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect([...response.headers.keys()].filter((name) => name.includes("jwt"))).toEqual([]);
  const { token, expiresAt, ...rest } = await response.json();
  expect(rest).toEqual({});

  const claims = await readToken(server, token);
  expect(claims).toEqual({
    iss: server.origin,
    aud: server.origin,
    sub: id,
    email: `${id}@example.com`,
    email_verified: false,
    name: "Test",
    tier: null,
    features: [],
    sid: id,
    jti: expect.any(String),
    iat: expect.any(Number),
    exp: (claims.iat ?? 0) + 600,
  });
  expect(Date.parse(expiresAt)).toBe((claims.exp ?? 0) * 1000);
  expect(Math.abs((claims.iat ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  expect((await readToken(server, await fetchToken(server, cookie))).jti).not.toBe(claims.jti);
  const secret = sessionTokenOf(cookie);
  for (const leak of [secret, hashSecret(secret)]) expect(JSON.stringify(claims)).not.toContain(leak);
});

test("after a promo code the next token carries its tier and features", async () => {
  const { cookie } = await signedIn();
  const redeemed = await postForm(server, "/subscription", { form: "promo", code: "PREMIUM3" }, cookie);
  expect(redeemed.status).toBeLessThan(400);
  expect(await readToken(server, await fetchToken(server, cookie))).toMatchObject({
    tier: "premium",
    features: ["csv_processing", "banking_api"],
  });
});

test("without a session there is no token", async () => {
  const response = await fetch(`${server.origin}/api/token`);
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ error: { status: "UNAUTHENTICATED", message: "Log in first" } });

  const { cookie } = await signedIn();
  const bearer = { authorization: `Bearer ${await fetchToken(server, cookie)}` };
  expect((await fetch(`${server.origin}/api/token`, { headers: bearer })).status).toBe(401);
  const foreign = [
    ["origin", "https://evil.example"],
    ["sec-fetch-site", "same-site"],
  ] as const;
  for (const [name, value] of foreign) {
    const response = await fetch(`${server.origin}/api/token`, { headers: { cookie, [name]: value } });
    expect(response.status).toBe(401);
  }
});

test("the published keys are the public halves, for everybody, and last a month", async () => {
  const { cookie } = await signedIn();
  await fetchToken(server, cookie);
  const response = await fetch(`${server.origin}/.well-known/jwks.json`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/json",
    "cache-control": "public, max-age=300",
    "access-control-allow-origin": "*",
  });
  const { keys } = await response.json();
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) {
    expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    expect(key).toMatchObject({ alg: "ES256", kty: "EC", crv: "P-256", use: "sig" });
  }
  const { rows } = await server.pool.query(
    "SELECT round(extract(epoch FROM max(expires_at) - now()) / 86400)::int AS days FROM jwks",
  );
  expect(rows).toEqual([{ days: 30 }]);
});

test("a key whose time is over signs nothing more, and what it signed stays good", async () => {
  const { cookie } = await signedIn();
  const before = await fetchToken(server, cookie);
  await server.pool.query("UPDATE jwks SET expires_at = now() - interval '1 minute'");
  const after = await fetchToken(server, cookie);
  expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid);
  await readToken(server, before);
  await readToken(server, after);

  await server.pool.query("UPDATE jwks SET expires_at = now() - interval '2 days' WHERE id = $1", [
    decodeProtectedHeader(before).kid,
  ]);
  await expect(readToken(server, before)).rejects.toThrow(/no applicable key/);
});

test.each([
  ["/api/token", "GET, HEAD"],
  ["/.well-known/jwks.json", "GET, HEAD"],
  ["/v1/projects", "GET, HEAD"],
])("%s takes no POST", async (path, allow) => {
  const response = await fetch(server.origin + path, { method: "POST", headers: { origin: server.origin } });
  expect(response.status).toBe(405);
  expect(response.headers.get("Allow")).toBe(allow);
  expect((await response.json()).error.status).toBe("INVALID_ARGUMENT");
});
