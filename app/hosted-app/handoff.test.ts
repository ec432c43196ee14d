import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openHostedApp } from "../../test/hosted-app.ts";
import { cookieOf, mainOf, postForm } from "../../test/http.ts";
import { countMails, linkIn, mailTo } from "../../test/mail.ts";
import { startServer } from "../../test/server.ts";
import { createSignedInUsers, sessionTokenOf } from "../../test/users.ts";
import { hashSecret } from "../http/secret-token.server.ts";
import { PATH, setupHandoff } from "./handoff.fixture.ts";

const { hosted: hostedApp, server, handOver, sign, sessions, refused } = setupHandoff();

async function whoHas(cookie: string) {
  const response = await fetch(`${server.origin}/v1/accounts:update`, {
    method: "POST",
    headers: { origin: server.origin, cookie, "content-type": "application/json" },
    body: "{}",
  });
  return response.json();
}

test("somebody new gets an account and a session, and goes where they wanted to", async () => {
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

test("somebody with a confirmed address here comes into that account", async () => {
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

test("nothing handed over, and somebody who just opens the page", async () => {
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

describe("the hosted app's keys", () => {
  test("are asked for once, not with every token", () => {
    expect(hostedApp.state.jwksAsked).toBeLessThan(5);
  });

  // At once: a silent one is waited for, and each has a server of its own, which has not heard of the keys yet.
  test.concurrent.each(["down", "silent"] as const)(
    "are %s: nobody gets in, and it is said that it is not their fault",
    async (jwks) => {
      const another = await openHostedApp();
      const fresh = await startServer(another.env);
      another.state.jwks = jwks;
      const headers = { origin: another.origin };
      const token = await another.sign(fresh.origin);
      const away = await handOver(token, { headers }, fresh);
      expect(away.status).toBe(503);
      expect(await mainOf(away)).toContain("Try again in a moment");
      another.state.jwks = "up";
      expect((await handOver(token, { headers }, fresh)).status).toBe(303);
      another.close();
      await fresh.stop();
    },
  );
});

test("without the address of its keys nobody is handed over", async () => {
  const plain = await startServer({ HOSTED_APP_URL: hostedApp.origin });
  const token = await hostedApp.sign(plain.origin);
  expect((await handOver(token, {}, plain)).status).toBe(403);
  expect((await handOver(token, { headers: { origin: plain.origin } }, plain)).status).toBe(404);
  expect((await fetch(plain.origin + PATH)).status).toBe(404);
  await plain.stop();
});
