import { createLocalJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerIn, ISSUER, SITE, startTestIdentity, type TestIdentity } from "../testing/identity.ts";
import { openIdentitySandbox } from "./identity.ts";

let running: TestIdentity;
beforeAll(async () => {
  running = await startTestIdentity();
});
afterAll(() => running.close());

test("discovery leads browsers to the public origin and servers to loopback", async () => {
  const { get, origin } = running;
  const answer = await get("/google/.well-known/openid-configuration");
  expect(await answer.json()).toMatchObject({
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${origin}/sandbox/identity/google/token`,
    jwks_uri: `${origin}/sandbox/identity/google/jwks`,
    code_challenge_methods_supported: ["S256"],
    id_token_signing_alg_values_supported: ["RS256"],
  });
});

test("a person who was chosen comes back with a code that is worth an ID token", async () => {
  const { choose, exchange, get } = running;
  const chosen = await choose("google", { choice: "grace@example.com" });
  expect(chosen.status).toBe(303);
  expect(chosen.headers.get("location")).toMatch(`${SITE}/auth/callback/google?code=`);
  const { code = "", ...others } = answerIn(chosen);
  expect(others).toEqual({ state: "state of this browser" });

  const exchanged = await exchange("google", code);
  expect(exchanged.headers.get("cache-control")).toBe("no-store");
  const { id_token, access_token: _, ...rest } = await exchanged.json();
  expect(rest).toEqual({ token_type: "Bearer", expires_in: 3599, scope: "openid email profile" });

  const jwks = await (await get("/google/jwks")).json();
  expect(Object.keys(jwks.keys[0]).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
  const { payload, protectedHeader } = await jwtVerify(id_token, createLocalJWKSet(jwks), {
    issuer: ISSUER,
    audience: "sandbox-google",
    algorithms: ["RS256"],
  });
  const grace = {
    sub: expect.stringMatching(/^1\d{20}$/),
    name: "Grace Hopper",
    picture: `${SITE}/sandbox/identity/picture.svg?letter=G`,
    email: "grace@example.com",
    email_verified: true,
  };
  expect(protectedHeader).toMatchObject({ alg: "RS256", kid: jwks.keys[0].kid });
  expect(payload).toEqual({
    ...grace,
    hd: "example.com",
    iss: ISSUER,
    aud: "sandbox-google",
    azp: "sandbox-google",
    nonce: "nonce of this browser",
    iat: expect.any(Number),
    exp: (payload.iat ?? 0) + 3600,
  });
  expect(Math.abs(Date.now() / 1000 - (payload.iat ?? 0))).toBeLessThan(60);
});

test("a code is good once, also when many bring it at once", async () => {
  const { codeOf, exchange } = running;
  const code = await codeOf("google");
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange("google", code)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array(7).fill(400)]);
});

test("a code is good for ten minutes, and swept when the next is made", async () => {
  const { codeOf, exchange, pool } = running;
  const code = await codeOf("google");
  const { rows } = await pool.query(
    "SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM sandbox_identity.kept WHERE id = $1",
    [code],
  );
  expect(rows[0].left).toBeGreaterThan(500);
  expect(rows[0].left).toBeLessThanOrEqual(600);
  await age(code);
  expect(await refusalOf(exchange("google", code))).toEqual([400, "invalid_grant"]);

  const forgotten = await codeOf("google");
  await age(forgotten);
  await codeOf("google");
  const left = await pool.query("SELECT FROM sandbox_identity.kept WHERE id = $1", [forgotten]);
  expect(left.rowCount).toBe(0);
});

async function age(code: string): Promise<void> {
  await running.pool.query(
    "UPDATE sandbox_identity.kept SET expires_at = now() - interval '1s' WHERE id = $1",
    [code],
  );
}

test.each<[string, Record<string, string | undefined>, [number, string]]>([
  ["a wrong verifier", { code_verifier: "x".repeat(43) }, [400, "invalid_grant"]],
  ["no verifier", { code_verifier: undefined }, [400, "invalid_grant"]],
  ["another address", { redirect_uri: `${SITE}/auth/callback/other` }, [400, "invalid_grant"]],
  ["no address", { redirect_uri: undefined }, [400, "invalid_grant"]],
  ["another code", { code: "4/x" }, [400, "invalid_grant"]],
  ["no code", { code: undefined }, [400, "invalid_request"]],
  ["a wrong secret", { client_secret: "wrong" }, [401, "invalid_client"]],
  ["no secret", { client_secret: undefined }, [401, "invalid_client"]],
  ["another client", { client_id: "sandbox-facebook" }, [401, "invalid_client"]],
  ["no grant type", { grant_type: undefined }, [400, "invalid_request"]],
  ["another grant type", { grant_type: "refresh_token" }, [400, "unsupported_grant_type"]],
  ["a byte nobody can keep", { code: "\0" }, [400, "invalid_request"]],
])("%s is worth nothing", async (_, changes, refusal) => {
  const { codeOf, exchange } = running;
  expect(await refusalOf(exchange("google", await codeOf("google"), changes))).toEqual(refusal);
});

test("a code of one provider is worth nothing at the other", async () => {
  const { codeOf, exchange } = running;
  const bare = { code_verifier: undefined, redirect_uri: `${SITE}/auth/callback/facebook` };
  expect(await refusalOf(exchange("google", await codeOf("facebook"), bare))).toEqual([400, "invalid_grant"]);
});

test("a parameter that is there twice, or a body that is no form, is refused", async () => {
  const { codeOf, get } = running;
  const code = await codeOf("google");
  const twice = new URLSearchParams([
    ["code", code],
    ["code", code],
  ]);
  expect(await refusalOf(get("/google/token", { method: "POST", body: twice }))).toEqual([
    400,
    "invalid_request",
  ]);
  const bodies = [JSON.stringify({ code }), "x".repeat(70_000)];
  for (const body of bodies)
    expect(await refusalOf(get("/google/token", { method: "POST", body }))).toEqual([401, "invalid_client"]);
});

async function refusalOf(answer: Promise<Response>): Promise<[number, string]> {
  const response = await answer;
  return [response.status, (await response.json()).error];
}

test("several processes on an empty database end with one key", async () => {
  const { pool, options, get } = running;
  const keys = async () => (await (await get("/google/jwks")).json()).keys;
  await pool.query("DROP SCHEMA sandbox_identity CASCADE");
  await Promise.all(Array.from({ length: 4 }, () => openIdentitySandbox(options)));
  const first = await keys();
  expect(first).toHaveLength(1);
  await openIdentitySandbox(options);
  expect(await keys()).toEqual(first);
});
