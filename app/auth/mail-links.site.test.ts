import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openBrowser, signInAt } from "../../test/browser.ts";
import { asClient, cookieOf, eventually, mainOf, postForm } from "../../test/http.ts";
import { waitForLocks } from "../../test/locks.ts";
import { linkIn, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson, fiftyTimes, isVerified, PASSWORD, signUp } from "../../test/users.ts";

const NEW_PASSWORD = "lantern pickle ocean 12";

const server = sharedServer();

const verifyLink = async (email: string) => linkIn(await mailTo(server, email, /^Confirm/), "/verify-email");

test("signing up sends a link whose page changes nothing, and whose button confirms the address", async () => {
  const { email, cookie } = await signUp(server);
  const link = await verifyLink(email);
  const page = await fetch(server.origin + link, { headers: { cookie } });
  expect(await mainOf(page)).toContain("Press the button to confirm");
  expect([page.headers.get("cache-control"), page.headers.get("referrer-policy")]).toEqual([
    "no-store",
    "same-origin",
  ]);
  expect(await isVerified(server, email)).toBe(false);
  const confirmed = await postForm(server, link, {}, cookie);
  expect([confirmed.status, confirmed.headers.get("location")]).toEqual([303, "/verify-email/done"]);
  expect(await isVerified(server, email)).toBe(true);
  expect((await fetch(server.origin + link)).status).toBe(410);
});

test("who was choosing a plan when they signed up is led back to it, by the second mail and the second press, too", async () => {
  const email = `${randomUUID()}@example.com`;
  const return_to = "/subscription?plan=prod_csv_only&billing=monthly";
  const signedUp = await postForm(server, "/register", { name: "Ada", email, password: PASSWORD, return_to });
  const mail = await mailTo(server, email, /^Confirm/);
  expect(JSON.stringify(mail)).not.toContain("prod_csv_only");
  const first = linkIn(mail, "/verify-email");
  await postForm(server, "/verify-email/sent", {}, cookieOf(signedUp));
  const link = await eventually(async () => {
    const newest = await verifyLink(email);
    return newest !== first && newest;
  }, "the second mail");
  for (const press of [1, 2]) {
    const confirmed = await postForm(server, link, {}, cookieOf(signedUp));
    const done = confirmed.headers.get("location") ?? "";
    expect([press, done]).toEqual([press, `/verify-email/done?${new URLSearchParams({ return_to })}`]);
    const headers = { cookie: cookieOf(signedUp) };
    const page = await mainOf(await fetch(server.origin + done, { headers }));
    expect(page).toContain(`href="${return_to.replaceAll("&", "&amp;")}"`);
    expect(page).toContain("Continue to your plan");
  }
  const elsewhere = await mainOf(await fetch(`${server.origin}/verify-email/done?return_to=//evil.example`));
  expect(elsewhere).not.toContain("evil");
});

test("opened signed out, a link to confirm asks for the password, and opens no session", async () => {
  const { email } = await signUp(server);
  const { cookie: ofAnother } = await createPerson(server.pool);
  const link = await verifyLink(email);
  for (const cookie of [undefined, ofAnother]) {
    const page = await mainOf(await fetch(server.origin + link, cookie ? { headers: { cookie } } : {}));
    expect(page).toContain('type="password"');
    expect(page).toContain(`<input type="hidden" name="email" value="${email}"/>`);
    for (const [fields, status, why] of [
      [{}, 401, "Enter the account’s password."],
      [{ password: "" }, 401, "Enter the account’s password."],
      [{ password: NEW_PASSWORD }, 400, "Wrong password."],
      [{ password: "x".repeat(5000) }, 400, "Wrong password."],
    ] as const) {
      const refused = await postForm(server, link, fields, cookie);
      expect([refused.status, await mainOf(refused)]).toEqual([status, expect.stringContaining(why)]);
    }
    expect(await isVerified(server, email)).toBe(false);
  }
  for (const cookie of [undefined, ofAnother]) {
    const confirmed = await postForm(server, link, { password: PASSWORD }, cookie);
    expect([confirmed.status, confirmed.headers.get("location")]).toEqual([303, "/verify-email/done"]);
    expect(confirmed.headers.getSetCookie()).toEqual([]);
  }
  expect(await isVerified(server, email)).toBe(true);
  expect((await postForm(server, link, { password: NEW_PASSWORD })).status).toBe(410);
});

test("passwords tried at a link to confirm count as tries to sign in", async () => {
  const { email } = await signUp(server);
  const link = await verifyLink(email);
  const client = asClient();
  const send = async (path: string, fields: Record<string, string>) => {
    // Only the account's own limit is what this is about.
    await server.pool.query("DELETE FROM rate_limits WHERE key LIKE 'sign_in_by_client%'");
    return postForm(server, path, fields, undefined, client);
  };
  for (let time = 0; time < 5; time++) await send(link, { password: NEW_PASSWORD });
  for (let time = 0; time < 5; time++) await send("/login", { email, password: NEW_PASSWORD });
  expect((await send(link, { password: PASSWORD })).status).toBe(429);
  await mailTo(server, email, /^Too many wrong passwords/);
  expect(await isVerified(server, email)).toBe(false);
});

test("an account without a password is confirmed by logging in to it", async () => {
  const email = `${randomUUID()}@example.com`;
  const browser = openBrowser(server);
  await signInAt(browser, "facebook", { email });
  const link = await verifyLink(email);
  const page = await mainOf(await fetch(server.origin + link));
  expect(page).not.toContain('type="password"');
  expect(page).toContain(`href="/login?${new URLSearchParams({ return_to: link })}"`);
  expect((await postForm(server, link, { password: PASSWORD })).status).toBe(400);
  const { cookie: ofAnother } = await createPerson(server.pool);
  const asAnother = await mainOf(await fetch(server.origin + link, { headers: { cookie: ofAnother } }));
  expect(asAnother).toContain("You’re signed in to a different account");
  expect(asAnother).toContain('action="/logout"');
  expect((await postForm(server, link, {}, ofAnother)).status).toBe(401);
  expect(await isVerified(server, email)).toBe(false);
  expect((await browser.post(link, {})).headers.get("location")).toBe("/verify-email/done");
  expect(await isVerified(server, email)).toBe(true);
});

test("a session that ends while its link is pressed confirms nothing", async () => {
  const { email, cookie } = await signUp(server);
  const link = await verifyLink(email);
  const client = await server.pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(`SELECT FROM "user" WHERE email = $1 FOR UPDATE`, [email]);
    const pressed = postForm(server, link, {}, cookie);
    await waitForLocks(server.pool);
    await client.query(`DELETE FROM session WHERE user_id = (SELECT id FROM "user" WHERE email = $1)`, [
      email,
    ]);
    await client.query("COMMIT");
    const answer = await pressed;
    expect([answer.status, await mainOf(answer)]).toEqual([
      401,
      expect.stringContaining("You’ve been signed out"),
    ]);
  } finally {
    client.release();
  }
  expect(await isVerified(server, email)).toBe(false);
});

test("a link to confirm pressed fifty times by whom it confirms is never called dead", async () => {
  const { email, cookie } = await signUp(server);
  const link = await verifyLink(email);
  expect(await fiftyTimes(() => postForm(server, link, {}, cookie))).toEqual({ 303: 50 });
  const open = await fetch(server.origin + link, { headers: { cookie }, redirect: "manual" });
  expect([open.status, open.headers.get("location")]).toEqual([303, "/verify-email/done"]);
});

test("a used link says nothing of an address that is not confirmed", async () => {
  const { email, cookie } = await signUp(server);
  const link = await verifyLink(email);
  expect((await postForm(server, link, {}, cookie)).status).toBe(303);
  const { cookie: ofAnother } = await createPerson(server.pool);
  expect((await postForm(server, link, {}, ofAnother)).status).toBe(410);
  expect((await fetch(server.origin + link, { headers: { cookie: ofAnother } })).status).toBe(410);
});

test("without a link there is only the account to look at, and nobody is told of what was not done", async () => {
  const { cookie } = await createPerson(server.pool);
  for (const path of ["/verify-email", "/verify-email/done"]) {
    const answer = await fetch(server.origin + path, { headers: { cookie }, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/account"]);
  }
});

test.each([["/verify-email"], ["/account/email/confirm"]])(
  "the header of %s shows whether its visitor is signed in",
  async (path) => {
    const { cookie } = await createPerson(server.pool);
    const headerOf = async (init: RequestInit) =>
      /<header.*<\/header>/s.exec(await (await fetch(`${server.origin}${path}?token=x`, init)).text())?.[0];
    expect(await headerOf({ headers: { cookie } })).toMatch(/Sign Out/);
    expect(await headerOf({})).toMatch(/Login.*Sign Up/s);
  },
);

test("another mail on demand; then either link works, and both are used up", async () => {
  const { email, cookie } = await signUp(server);
  const first = await verifyLink(email);
  const again = await postForm(server, "/verify-email/sent", {}, cookie);
  expect(again.headers.get("location")).toBe("/verify-email/sent");
  await eventually(async () => (await verifyLink(email)) !== first, "another link comes");
  const second = await verifyLink(email);
  expect((await postForm(server, first, {}, cookie)).status).toBe(303);
  expect((await postForm(server, second, { password: PASSWORD })).status).toBe(410);
  const needless = await postForm(server, "/verify-email/sent", {}, cookie);
  expect(needless.headers.get("location")).toBe("/verify-email/done");
  expect((await postForm(server, "/verify-email/sent", {})).headers.get("location")).toBe(
    "/login?return_to=%2Faccount",
  );
});

test.each([
  ["expired", "UPDATE mail_links SET expires_at = now() WHERE email = $1"],
  ["for something else", "UPDATE mail_links SET purpose = 'reset_password' WHERE email = $1"],
  ["to an address that was changed", `UPDATE "user" SET email = 'new.' || email WHERE email = $1`],
])("a link to confirm that is %s confirms nothing", async (_, spoil) => {
  const { email, cookie } = await signUp(server);
  const link = await verifyLink(email);
  await server.pool.query(spoil, [email]);
  expect((await postForm(server, link, {}, cookie)).status).toBe(410);
  const { rows } = await server.pool.query(`SELECT email_verified FROM "user" WHERE email LIKE '%' || $1`, [
    email,
  ]);
  expect(rows).toEqual([{ email_verified: false }]);
});

test.each([["/verify-email"], ["/reset-password"]])(
  "%s with what is no token is a page, not an error",
  async (path) => {
    for (const token of ["", "x", "a".repeat(43), "%00", "a".repeat(5000)])
      expect((await fetch(`${server.origin}${path}?token=${token}`)).status, token.slice(0, 50)).toBe(410);
  },
);
