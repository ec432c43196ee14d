import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { type Claims, openHostedApp } from "../../test/hosted-app.ts";
import { setupHandoff } from "./handoff.fixture.ts";

const { hosted: hostedApp, server, handOver, sign, sessions, refused } = setupHandoff();

test.each(["RS256", "EdDSA"] as const)("%s is taken, too", async (alg) => {
  expect((await handOver(await hostedApp.sign(server.origin, {}, alg))).status).toBe(303);
});

describe("refused with 401", () => {
  const now = Math.floor(Date.now() / 1000);

  test.each<[string, Claims]>([
    ["expired", { exp: now - 1 }],
    ["without an end", { exp: undefined }],
    ["that lives for an hour", { exp: now + 3600 }],
    ["from the future", { iat: now + 600, exp: now + 601 }],
    ["without a beginning", { iat: undefined }],
    ["not valid yet", { nbf: now + 300 }],
    ["without an id of its own", { jti: undefined }],
    ["with an empty id", { jti: "" }],
    ["for nobody", { sub: undefined }],
    ["for another site", { aud: "https://evil.example" }],
    ["from another issuer", { iss: "https://evil.example" }],
  ])("a token %s", async (_what, claims) => {
    const before = await sessions();
    await refused(await handOver(await sign(claims)), 401, before);
  });

  test("a token signed in a way, or with a key, that is not the hosted app's", async () => {
    const good = await sign();
    const [header = "", payload = "", signature = ""] = good.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString("base64url");
    const es256 = hostedApp.keys.find(({ kid }) => kid === "ES256");
    const hmac = (secret: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid: "ES256" })
        .sign(new TextEncoder().encode(secret));
    const stranger = await openHostedApp();
    const before = await sessions();
    const forged = {
      none: `${part({ alg: "none", kid: "ES256" })}.${payload}.`,
      unsigned: `${header}.${payload}.`,
      "another's claims": `${header}.${part({ ...claims, sub: "other" })}.${signature}`,
      "HS256 with the public key": await hmac(JSON.stringify(es256)),
      "HS256 with the public point": await hmac(es256?.x ?? ""),
      "an algorithm that is not on our list": await hostedApp.sign(server.origin, {}, "PS256"),
      "a stranger's key": await stranger.sign(server.origin, { iss: hostedApp.origin }),
      "a key nobody knows": await hostedApp.sign(server.origin, {}, "ES256", "unknown"),
      "no token at all": "x",
    };
    stranger.close();
    for (const token of Object.values(forged)) await refused(await handOver(token), 401, before);
    expect((await handOver(good)).status).toBe(303);
  });

  test("a token that was used before", async () => {
    const token = await sign();
    expect((await handOver(token)).status).toBe(303);
    const before = await sessions();
    const main = await refused(await handOver(token, { return_to: "/subscription?promo=A" }), 401, before);
    expect(main).toContain(`return_to=${encodeURIComponent(`${server.origin}/subscription?promo=A`)}`);
  });
});

test("one token used fifty times at once opens exactly one session", async () => {
  const before = await sessions();
  const email = `${randomUUID()}@example.com`;
  const token = await sign({ email });
  const answers = await Promise.all(Array.from({ length: 50 }, () => handOver(token)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 303)).toHaveLength(1);
  expect(statuses.filter((status) => status === 401)).toHaveLength(49);
  expect(await sessions()).toBe(before + 1);
});

test("twenty tokens of somebody new at once make one account", async () => {
  const [sub, email] = [randomUUID(), `${randomUUID()}@example.com`];
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, index) => sign({ sub, email: index % 2 ? email : `other-${email}` })),
  );
  const answers = await Promise.all(tokens.map((token) => handOver(token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
  const { rowCount } = await server.pool.query(`SELECT FROM "user" WHERE email LIKE '%' || $1`, [email]);
  expect(rowCount).toBe(1);
});

test("twenty people with one address at once share one account", async () => {
  const email = `${randomUUID()}@example.com`;
  const tokens = await Promise.all(Array.from({ length: 20 }, () => sign({ email })));
  const answers = await Promise.all(tokens.map((token) => handOver(token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
  const { rows } = await server.pool.query(
    `SELECT count(DISTINCT "user".id)::int AS users, count(*)::int AS accounts
     FROM "user" JOIN account ON account.user_id = "user".id WHERE email = $1`,
    [email],
  );
  expect(rows).toEqual([{ users: 1, accounts: 20 }]);
});

test("used tokens are forgotten an hour after their end", async () => {
  await handOver(await sign());
  const { rows } = await server.pool.query(
    "SELECT bool_and(expires_at BETWEEN now() AND now() + interval '11 minutes') AS \"areShort\" FROM handoffs",
  );
  expect(rows).toEqual([{ areShort: true }]);
});
