import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { type Claims, openHostedApp } from "../../test/hosted-app.ts";
import { asClient, cookieOf, mainOf, postForm } from "../../test/http.ts";
import { countMails, linkIn, mailTo } from "../../test/mail.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { startServer } from "../../test/server.ts";
import { createSignedInUsers, sessionTokenOf } from "../../test/users.ts";
import { hashSecret } from "../http/secret-token.server.ts";

const PATH = "/auth/handoff";

let hostedApp: Awaited<ReturnType<typeof openHostedApp>>;
const server = setupServer(async () => {
  hostedApp = await openHostedApp();
  return hostedApp.env;
});

afterAll(() => hostedApp.close());

/** The hosted app's page sends its form, as a browser does. */
function handOver(
  id_token: string,
  { return_to, headers }: { return_to?: string; headers?: Record<string, string> } = {},
  to = server,
): Promise<Response> {
  return fetch(to.origin + PATH, {
    method: "POST",
    redirect: "manual",
    headers: { ...asClient(), ...(headers ?? { origin: hostedApp.origin, "sec-fetch-site": "cross-site" }) },
    body: new URLSearchParams({ id_token, ...(return_to !== undefined && { return_to }) }),
  });
}

async function sessions(): Promise<number> {
  return (await server.pool.query("SELECT count(*)::int AS count FROM session")).rows[0].count;
}

/** @returns what the page says after the refusal; makes sure that no session was opened */
async function refused(response: Response, status: number, before: number): Promise<string> {
  expect(response.status).toBe(status);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(await sessions()).toBe(before);
  const main = await mainOf(response);
  expect(main).toContain("Failed to sign in");
  expect(main).toContain(`href="${hostedApp.origin}/login?return_to=`);
  return main;
}

const sign = (claims: Claims = {}) => hostedApp.sign(server.origin, claims);

async function whoHas(cookie: string) {
  const response = await fetch(`${server.origin}/v1/accounts:update`, {
    method: "POST",
    headers: { origin: server.origin, cookie, "content-type": "application/json" },
    body: "{}",
  });
  return response.json();
}

// The first of all: the keys are kept from then on.
test("the hosted app's keys are away, or silent: nobody gets in, and it is said that it is not their fault", async () => {
  const token = await sign();
  for (const jwks of ["down", "silent"] as const) {
    hostedApp.state.jwks = jwks;
    const away = await handOver(token);
    expect([jwks, away.status]).toEqual([jwks, 503]);
    expect(await mainOf(away)).toContain("Try again in a moment");
  }
  hostedApp.state.jwks = "up";
  expect((await handOver(token)).status).toBe(303);
  hostedApp.state.jwksAsked = 0;
});

test("a new user gets an account and a session, and arrives at the page asked for", async () => {
  const sub = randomUUID();
  const email = `${sub}@Example.com`;
  const picture = "https://photos.example/grace.jpg";
  const response = await handOver(await sign({ sub, email, picture }), {
    return_to: `${server.origin}/subscription?promo=PREMIUM3`,
  });
  expect(response.status).toBe(303);
  expect(response.headers.get("Location")).toBe("/subscription?promo=PREMIUM3");
  const cookie = cookieOf(response);
  expect(response.headers.getSetCookie()[0]).toMatch(/^session=.*; HttpOnly; SameSite=Lax$/);
  expect(await whoHas(cookie)).toEqual({
    localId: expect.any(String),
    email: email.toLowerCase(),
    displayName: "Grace Hopper",
    photoUrl: picture,
    emailVerified: true,
  });
  const token = sessionTokenOf(cookie);
  const { rowCount } = await server.pool.query("SELECT FROM session WHERE token_hash = $1", [
    hashSecret(token),
  ]);
  expect(rowCount).toBe(1);
  expect(await response.text()).not.toContain(token);
});

test("the second time they are the same, whatever has become of their address", async () => {
  const sub = randomUUID();
  const first = await whoHas(cookieOf(await handOver(await sign({ sub }))));
  const changed = { sub, email: "new@example.com", email_verified: false };
  expect(await whoHas(cookieOf(await handOver(await sign(changed))))).toEqual(first);
  expect(await whoHas(cookieOf(await handOver(await sign({ sub, email: undefined }))))).toEqual(first);
});

test("a user with a confirmed address here is signed in to that account", async () => {
  const [user] = await createSignedInUsers(server.pool, 1);
  await server.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [user?.id]);
  const sub = randomUUID();
  const mails = await countMails(server, async () => {
    for (const _ of [1, 2]) {
      const response = await handOver(await sign({ sub, email: `${user?.id}@EXAMPLE.com` }));
      expect((await whoHas(cookieOf(response))).localId).toBe(user?.id);
    }
  });
  expect(mails).toBe(1);
  const { text } = await mailTo(server, `${user?.id}@example.com`, /^The app is connected to your/);
  expect(text).toContain("Not you?");
});

test("a stranger who signed up with the owner's address has nothing left once the owner is handed over", async () => {
  const email = `${randomUUID()}@example.com`;
  const mallory = { name: "Mallory", email, password: "correct horse battery" };
  const cookie = cookieOf(await postForm(server, "/register", mallory));
  const before = await sessions();
  const told = await refused(await handOver(await sign({ email })), 403, before);
  expect(told).toContain("choose a new password to make the account yours");
  const verifyLink = linkIn(await mailTo(server, email, /^Confirm your email/), "/verify-email");
  expect((await postForm(server, verifyLink, {})).status).toBe(401);
  await refused(await handOver(await sign({ email })), 403, before);

  const reset = linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password");
  expect((await postForm(server, reset, { password: "lantern pickle ocean 12" })).status).toBe(303);
  expect((await handOver(await sign({ email }))).headers.get("location")).toBe("/dashboard");
  await mailTo(server, email, /^The app is connected to your/);
  const dashboard = await fetch(`${server.origin}/dashboard`, { redirect: "manual", headers: { cookie } });
  expect(dashboard.status).toBe(302);
  expect((await postForm(server, "/login", mallory)).status).toBe(400);
});

test("an address that one of the two sides has not confirmed opens nothing", async () => {
  const [user] = await createSignedInUsers(server.pool, 1);
  const email = `${user?.id}@example.com`;
  const before = await sessions();
  const here = await refused(await handOver(await sign({ email })), 403, before);
  expect(here).toContain("opened an account with your email address here and never confirmed it");
  for (const email_verified of [false, "true", undefined]) {
    const response = await handOver(await sign({ email_verified }));
    expect(await refused(response, 403, before)).toContain("isn’t confirmed in the app yet");
  }
  expect(await refused(await handOver(await sign({ email: undefined })), 403, before)).toContain(
    "in the app yet",
  );
  const { rows } = await server.pool.query("SELECT provider_id FROM account WHERE user_id = $1", [user?.id]);
  expect(rows).toEqual([{ provider_id: "credential" }]);
});

test("only a page of the hosted app, or of ours, hands over", async () => {
  const before = await sessions();
  const strangers: Record<string, string>[] = [
    {},
    { origin: "null" },
    { origin: "https://evil.example" },
    { origin: "https://evil.example", "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site" },
    { origin: `${hostedApp.origin}0` },
  ];
  for (const headers of strangers) {
    const response = await handOver(await sign(), { headers });
    expect([headers, response.status]).toEqual([headers, 403]);
  }
  expect(await sessions()).toBe(before);
  expect((await handOver(await sign(), { headers: { origin: server.origin } })).status).toBe(303);
});

test.each(["https://evil.example/", "//evil.example", "/\\evil.example", "dashboard", undefined])(
  "with %s as the way back one comes to the dashboard",
  async (return_to) => {
    const response = await handOver(await sign(), { return_to });
    expect(response.headers.get("Location")).toBe("/dashboard");
  },
);

test("nothing handed over, and a visitor who just opens the page", async () => {
  const before = await sessions();
  expect(await refused(await handOver(""), 400, before)).toContain("Log in there first.");
  expect(await refused(await fetch(server.origin + PATH), 200, before)).toContain("Log in there first.");
  const noForm = await fetch(server.origin + PATH, {
    method: "POST",
    headers: { origin: server.origin, "content-type": "application/json" },
    body: "{}",
  });
  expect(noForm.status).toBe(400);
});

test("the hosted app's keys are asked for once, not with every token", () => {
  expect(hostedApp.state.jwksAsked).toBeLessThan(5);
});

test("without the address of its keys nobody is handed over", async () => {
  const plain = await startServer({ HOSTED_APP_URL: hostedApp.origin });
  const token = await hostedApp.sign(plain.origin);
  expect((await handOver(token, {}, plain)).status).toBe(403);
  expect((await handOver(token, { headers: { origin: plain.origin } }, plain)).status).toBe(404);
  expect((await fetch(plain.origin + PATH)).status).toBe(404);
  await plain.stop();
});

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

test("twenty tokens of a new user at once make one account", async () => {
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
    "SELECT bool_and(expires_at < now() + interval '11 minutes') AS \"areShort\" FROM handoffs",
  );
  expect(rows).toEqual([{ areShort: true }]);
});
