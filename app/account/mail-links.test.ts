import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, signInAt } from "../../test/browser.ts";
import { cookieOf, mainOf, postForm } from "../../test/http.ts";
import { linkIn, mailTo } from "../../test/mail.ts";
import { startServer, type TestServer } from "../../test/server.ts";

const PASSWORD = "correct horse battery";
const NEW_PASSWORD = "lantern pickle ocean 12";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

async function signUp(): Promise<{ email: string; cookie: string }> {
  const email = `${randomUUID()}@example.com`;
  const response = await postForm(server, "/register", { name: "Ada", email, password: PASSWORD });
  expect(response.status).toBe(303);
  return { email, cookie: cookieOf(response) };
}

const signIn = (email: string, password: string) => postForm(server, "/login", { email, password });

async function isSignedIn(cookie: string): Promise<boolean> {
  const response = await fetch(`${server.origin}/dashboard`, { headers: { cookie }, redirect: "manual" });
  return response.status === 200;
}

async function isVerified(email: string): Promise<boolean> {
  const { rows } = await server.pool.query(`SELECT email_verified FROM "user" WHERE email = $1`, [email]);
  return rows[0]?.email_verified;
}

const verifyLink = async (email: string) => linkIn(await mailTo(server, email, /^Confirm/), "/verify-email");

async function resetLink(email: string): Promise<string> {
  expect((await postForm(server, "/forgot-password", { email })).status).toBe(303);
  return linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password");
}

/** The same request fifty times at once. @returns how many had each status */
async function fiftyTimes(send: () => Promise<Response>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: 50 }, send));
  const statuses = answers.map(({ status }) => status);
  return Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((other) => other === status).length]),
  );
}

test("signing up sends a link whose page changes nothing, and whose button confirms the address", async () => {
  const { email } = await signUp();
  const link = await verifyLink(email);
  const page = await fetch(server.origin + link);
  expect(await mainOf(page)).toContain("Opening this page has not changed anything yet");
  expect([page.headers.get("cache-control"), page.headers.get("referrer-policy")]).toEqual([
    "no-store",
    "same-origin",
  ]);
  expect(await isVerified(email)).toBe(false);
  const confirmed = await postForm(server, link, {});
  expect([confirmed.status, confirmed.headers.get("location")]).toEqual([303, "/verify-email?done=1"]);
  expect(await isVerified(email)).toBe(true);
  expect((await fetch(server.origin + link)).status).toBe(410);
});

test("a link to confirm used fifty times at once works once", async () => {
  const { email } = await signUp();
  const link = await verifyLink(email);
  expect(await fiftyTimes(() => postForm(server, link, {}))).toEqual({ 303: 1, 410: 49 });
  expect(await isVerified(email)).toBe(true);
});

test("a link to confirm pressed fifty times by whom it confirms is never called dead", async () => {
  const { email, cookie } = await signUp();
  const link = await verifyLink(email);
  expect(await fiftyTimes(() => postForm(server, link, {}, cookie))).toEqual({ 303: 50 });
  const open = await fetch(server.origin + link, { headers: { cookie }, redirect: "manual" });
  expect([open.status, open.headers.get("location")]).toEqual([303, "/verify-email?done=1"]);
});

test("a used link says nothing of an address that is not confirmed", async () => {
  const { email } = await signUp();
  const link = await verifyLink(email);
  expect((await postForm(server, link, {})).status).toBe(303);
  const { cookie: ofAnother } = await signUp();
  expect((await postForm(server, link, {}, ofAnother)).status).toBe(410);
  expect((await fetch(server.origin + link, { headers: { cookie: ofAnother } })).status).toBe(410);
});

test("without a link there is only the account to look at, and nobody is told of what was not done", async () => {
  const { cookie } = await signUp();
  for (const path of ["/verify-email", "/verify-email?done=1"]) {
    const answer = await fetch(server.origin + path, { headers: { cookie }, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/account"]);
  }
});

test.each([["/verify-email"], ["/account/email/confirm"]])(
  "the header of %s knows whether somebody is signed in",
  async (path) => {
    const { cookie } = await signUp();
    const headerOf = async (init: RequestInit) =>
      /<header.*<\/header>/s.exec(await (await fetch(`${server.origin}${path}?token=x`, init)).text())?.[0];
    expect(await headerOf({ headers: { cookie } })).toMatch(/Sign Out/);
    expect(await headerOf({})).toMatch(/Login.*Sign Up/s);
  },
);

test("another mail on demand; then either link works, and both are used up", async () => {
  const { email, cookie } = await signUp();
  const first = await verifyLink(email);
  const again = await postForm(server, "/verify-email", {}, cookie);
  expect(again.headers.get("location")).toBe("/verify-email?sent=1");
  await expect.poll(() => verifyLink(email)).not.toBe(first);
  const second = await verifyLink(email);
  expect((await postForm(server, first, {})).status).toBe(303);
  expect((await postForm(server, second, {})).status).toBe(410);
  const needless = await postForm(server, "/verify-email", {}, cookie);
  expect(needless.headers.get("location")).toBe("/verify-email?done=1");
  expect((await postForm(server, "/verify-email", {})).headers.get("location")).toBe(
    "/login?return_to=%2Faccount",
  );
});

test.each([
  ["expired", "UPDATE mail_links SET expires_at = now() WHERE email = $1"],
  ["for something else", "UPDATE mail_links SET purpose = 'reset_password' WHERE email = $1"],
  ["to an address that was changed", `UPDATE "user" SET email = 'new.' || email WHERE email = $1`],
])("a link to confirm that is %s confirms nothing", async (_, spoil) => {
  const { email } = await signUp();
  const link = await verifyLink(email);
  await server.pool.query(spoil, [email]);
  expect((await postForm(server, link, {})).status).toBe(410);
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

test("a new password by mail: all sessions end, the address is confirmed, the owner is told", async () => {
  const { email, cookie } = await signUp();
  const link = await resetLink(email);
  const page = await fetch(server.origin + link);
  expect(await mainOf(page)).toContain(email);
  expect(await isSignedIn(cookie)).toBe(true);
  const reset = await postForm(server, link, { password: NEW_PASSWORD });
  expect([reset.status, reset.headers.get("location")]).toEqual([303, "/login?reason=reset"]);
  expect(await isSignedIn(cookie)).toBe(false);
  expect((await signIn(email, PASSWORD)).status).toBe(400);
  expect((await signIn(email, NEW_PASSWORD)).status).toBe(303);
  expect(await isVerified(email)).toBe(true);
  await mailTo(server, email, /password was changed$/);
  expect((await server.pool.query("SELECT FROM mail_links WHERE email = $1", [email])).rowCount).toBe(0);
});

test("a link to a new password used fifty times at once works once", async () => {
  const { email } = await signUp();
  const link = await resetLink(email);
  const passwords = Array.from({ length: 50 }, (_, index) => `${NEW_PASSWORD} ${index}`);
  const sent = passwords.values();
  const password = () => sent.next().value ?? "";
  expect(await fiftyTimes(() => postForm(server, link, { password: password() }))).toEqual({
    303: 1,
    410: 49,
  });
});

test("a used link to a new password is no form any more, wherever it is still open", async () => {
  const { email } = await signUp();
  const link = await resetLink(email);
  expect((await postForm(server, link, { password: NEW_PASSWORD })).status).toBe(303);
  for (const used of [
    await postForm(server, link, { password: "another pickle ocean 12" }),
    await fetch(server.origin + link),
  ]) {
    expect([used.status, used.headers.get("cache-control"), used.headers.get("referrer-policy")]).toEqual([
      410,
      "no-store",
      "same-origin",
    ]);
    const page = await mainOf(used);
    expect(page).toContain("This link does not work any more");
    expect(page).not.toContain("<form");
  }
});

test("a new password that is refused leaves the link as it was", async () => {
  const { email } = await signUp();
  const link = await resetLink(email);
  for (const [password, why] of [
    ["short", /at least 12/],
    ["passwordpassword", /harder to guess/],
    ["x".repeat(129), /at most 128/],
  ] as const) {
    const response = await postForm(server, link, { password });
    expect([response.status, await mainOf(response)]).toEqual([400, expect.stringMatching(why)]);
  }
  expect((await postForm(server, link, { password: NEW_PASSWORD })).status).toBe(303);
});

test("a new password for an account made by somebody else shuts that somebody out", async () => {
  const { email, cookie: intruder } = await signUp();
  const intrudersLink = await verifyLink(email);
  await postForm(server, await resetLink(email), { password: NEW_PASSWORD });
  expect(await isSignedIn(intruder)).toBe(false);
  expect((await signIn(email, PASSWORD)).status).toBe(400);
  expect((await postForm(server, intrudersLink, {})).status).toBe(410);
});

test("while nobody has confirmed the address, a new password also shuts out whoever came by a provider", async () => {
  const email = `${randomUUID()}@example.com`;
  const stranger = openBrowser(server);
  expect((await signInAt(stranger, "facebook", { email })).status).toBe(303);
  expect((await stranger.get("/dashboard")).status).toBe(200);
  await postForm(server, await resetLink(email), { password: NEW_PASSWORD });
  expect((await stranger.get("/dashboard")).status).toBe(302);
  const again = await signInAt(openBrowser(server), "facebook", { email });
  expect(again.headers.get("location")).toMatch(/^\/login\?.*error=account-exists/);
  expect((await signIn(email, NEW_PASSWORD)).status).toBe(303);
});

test("an address nobody has gets the same answer, and no mail", async () => {
  const stranger = `${randomUUID()}@example.com`;
  const { email } = await signUp();
  const [known, unknown] = await Promise.all(
    [email, stranger].map((address) => postForm(server, "/forgot-password", { email: address })),
  );
  expect(unknown?.status).toBe(known?.status);
  expect(unknown?.headers.get("location")).toBe(known?.headers.get("location"));
  await mailTo(server, email, /^Choose a new password/);
  const { rows } = await server.pool.query(
    "SELECT FROM outbox WHERE kind = 'notice_owner' AND done_at IS NULL",
  );
  expect(rows).toEqual([]);
  const mails = await (await fetch(`${server.origin}/sandbox/mail.json`)).text();
  expect(mails).not.toContain(stranger);
});

test("signing in while the password is being changed does not outlive the change", async () => {
  const { email } = await signUp();
  const link = await resetLink(email);
  const [reset, ...signIns] = await Promise.all([
    postForm(server, link, { password: NEW_PASSWORD }),
    ...Array.from({ length: 20 }, () => signIn(email, PASSWORD)),
  ]);
  expect(reset?.status).toBe(303);
  for (const signedIn of signIns.filter(({ status }) => status === 303))
    expect(await isSignedIn(cookieOf(signedIn))).toBe(false);
});

test("only those ways in are named that there are", async () => {
  const sentPage = async (server: TestServer) =>
    mainOf(await fetch(`http://127.0.0.1:${server.port}/forgot-password/sent`));
  expect(await sentPage(server)).toMatch(/If you signed up with (<!-- -->)?Google or Facebook/);
  const GOOGLE = { GOOGLE_CLIENT_ID: "our-id", GOOGLE_CLIENT_SECRET: "secret" };
  for (const [keys, words] of [
    [GOOGLE, /If you signed up with (<!-- -->)?Google(<!-- -->)?,/],
    [{}, /^(?!.*If you signed up with)/s],
  ] as const) {
    const own = await startServer({
      NODE_ENV: "production",
      PUBLIC_ORIGIN: "https://own.example",
      AUTHORIZED_DOMAINS: "own.example",
      ...keys,
    });
    expect(await sentPage(own)).toMatch(words);
    await own.stop();
  }
});

test("what cannot be written is said to be our fault, in the spec's words", async () => {
  await server.pool.query("ALTER TABLE outbox RENAME TO outbox_away");
  const response = await postForm(server, "/forgot-password", { email: "ada@example.com" });
  await server.pool.query("ALTER TABLE outbox_away RENAME TO outbox");
  expect(response.status).toBe(500);
  expect(await mainOf(response)).toContain("Failed to send password reset email");
});
