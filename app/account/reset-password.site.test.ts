import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { asClient, cookieOf, eventually, mainOf, postForm } from "../../test/http.ts";
import { everyMailTo, linkIn, mailsNaming, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import {
  createPerson,
  fiftyTimes,
  get,
  isSignedIn,
  isVerified,
  PASSWORD,
  signInAgain,
  signUp,
  verify,
} from "../../test/users.ts";

const NEW_PASSWORD = "lantern pickle ocean 12";

const server = sharedServer();

const signIn = (email: string, password: string) => postForm(server, "/login", { email, password });

async function resetLink(email: string): Promise<string> {
  expect((await postForm(server, "/forgot-password", { email })).status).toBe(303);
  return linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password");
}

test("a new password by mail: all sessions end, the address is confirmed, the owner is told", async () => {
  const { email, cookie } = await createPerson(server.pool);
  const link = await resetLink(email);
  const page = await fetch(server.origin + link);
  expect(await mainOf(page)).toContain(email);
  expect(await isSignedIn(server, cookie)).toBe(true);
  const reset = await postForm(server, link, { password: NEW_PASSWORD });
  expect([reset.status, reset.headers.get("location")]).toEqual([303, "/dashboard"]);
  expect(await isSignedIn(server, cookieOf(reset))).toBe(true);
  expect(await isSignedIn(server, cookie)).toBe(false);
  expect((await signIn(email, PASSWORD)).status).toBe(400);
  expect((await signIn(email, NEW_PASSWORD)).status).toBe(303);
  expect(await isVerified(server, email)).toBe(true);
  await mailTo(server, email, /password was changed$/);
  const { rows } = await server.pool.query(
    "SELECT used_at IS NOT NULL AND expires_at <= now() + interval '5 minutes' AS is_over FROM mail_links WHERE email = $1",
    [email],
  );
  expect(rows).toEqual([{ is_over: true }]);
});

test("while the address was not confirmed, the name stays that its reader gave, and no other", async () => {
  const nameOf = async (email: string) =>
    (await server.pool.query(`SELECT name FROM "user" WHERE email = $1`, [email])).rows[0].name;
  // The account was opened by another person than the one who reads the mail.
  const stranger = await signUp(server);
  const theirs = await resetLink(stranger.email);
  const asked = await mainOf(await fetch(server.origin + theirs));
  expect(asked).toContain("Your name (optional)");
  expect(asked).not.toContain("Ada Lovelace");
  await postForm(server, theirs, { password: NEW_PASSWORD });
  expect(await nameOf(stranger.email)).toBe("");

  // Signed in to it where the link is opened.
  const own = await signUp(server);
  const link = await resetLink(own.email);
  const page = await get(server, link, own.cookie);
  expect(await mainOf(page)).not.toContain("Your name");
  await postForm(server, link, { password: NEW_PASSWORD }, own.cookie);
  expect(await nameOf(own.email)).toBe("Ada Lovelace");

  // Signed in to another account.
  const other = await signUp(server);
  await postForm(server, await resetLink(other.email), { password: NEW_PASSWORD }, stranger.cookie);
  expect(await nameOf(other.email)).toBe("");

  const named = await signUp(server);
  await postForm(server, await resetLink(named.email), { name: " Grace ", password: NEW_PASSWORD });
  expect(await nameOf(named.email)).toBe("Grace");

  const confirmed = await signUp(server);
  await verify(server, confirmed);
  await postForm(server, await resetLink(confirmed.email), { name: "Eve", password: NEW_PASSWORD });
  expect(await nameOf(confirmed.email)).toBe("Ada Lovelace");
});

test("only sending a new password signs in: what opens links ahead of people does nothing", async () => {
  const { email } = await createPerson(server.pool);
  const link = await resetLink(email);
  for (const init of [{}, { method: "HEAD" }, { headers: { "sec-purpose": "prefetch" } }]) {
    const opened = await fetch(server.origin + link, init);
    expect([opened.status, opened.headers.getSetCookie()]).toEqual([200, []]);
  }
  expect((await signIn(email, PASSWORD)).status).toBe(303);
  const refused = await postForm(server, link, { password: "short" });
  expect([refused.status, refused.headers.getSetCookie()]).toEqual([400, []]);
  expect((await postForm(server, link, { password: NEW_PASSWORD })).status).toBe(303);
});

test("signed in as another user, a new password ends that session of this browser, and no other of theirs", async () => {
  const [owner, other] = [await createPerson(server.pool), await createPerson(server.pool)];
  const elsewhere = await signInAgain(server, other.email);
  const reset = await postForm(
    server,
    await resetLink(owner.email),
    { password: NEW_PASSWORD },
    other.cookie,
  );
  const page = await fetch(`${server.origin}/account`, { headers: { cookie: cookieOf(reset) } });
  expect(await page.text()).toContain(owner.email);
  expect(await isSignedIn(server, other.cookie)).toBe(false);
  expect(await isSignedIn(server, elsewhere)).toBe(true);
});

test.each([
  ["/subscription?plan=prod_csv_only&billing=annual", "/subscription?plan=prod_csv_only&billing=annual"],
  ["//evil.example", "/dashboard"],
  ["/auth/popup/google?intent=connect", "/dashboard"],
])("who was going to %s goes on to %s, and no mail names it", async (return_to, next) => {
  const { email } = await createPerson(server.pool);
  expect((await postForm(server, "/forgot-password", { email, return_to })).status).toBe(303);
  const mail = await mailTo(server, email, /^Choose a new password/);
  expect(JSON.stringify(mail)).not.toMatch(/prod_csv_only|evil|intent/);
  const reset = await postForm(server, linkIn(mail, "/reset-password"), { password: NEW_PASSWORD });
  expect(reset.headers.get("location")).toBe(next);
});

test("a link to a new password used fifty times at once works once", async () => {
  const { email } = await createPerson(server.pool);
  const link = await resetLink(email);
  const passwords = Array.from({ length: 50 }, (_, index) => `${NEW_PASSWORD} ${index}`);
  const sent = passwords.values();
  const password = () => sent.next().value ?? "";
  expect(await fiftyTimes(() => postForm(server, link, { password: password() }))).toEqual({
    303: 1,
    410: 49,
  });
});

test("pressed twice without scripts, the second press of a new password has the answer of the first", async () => {
  const { email } = await createPerson(server.pool);
  const link = await resetLink(email);
  for (const answer of [
    await postForm(server, link, { password: NEW_PASSWORD }),
    await postForm(server, link, { password: NEW_PASSWORD }),
    ...(await Promise.all([1, 2].map(() => postForm(server, link, { password: NEW_PASSWORD })))),
  ]) {
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/dashboard"]);
    expect(await isSignedIn(server, cookieOf(answer))).toBe(true);
  }
  expect((await signIn(email, NEW_PASSWORD)).status).toBe(303);

  let atOnce = link;
  await resetLink(email);
  await eventually(async () => {
    const mail = await mailTo(server, email, /^Choose a new password/);
    atOnce = linkIn(mail, "/reset-password");
    return atOnce !== link;
  }, "another link");
  const answers = await Promise.all([1, 2].map(() => postForm(server, atOnce, { password: PASSWORD })));
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  expect((await postForm(server, link, { password: PASSWORD })).status).toBe(410);

  await server.pool.query("UPDATE mail_links SET expires_at = now() WHERE email = $1", [email]);
  expect((await postForm(server, atOnce, { password: PASSWORD })).status).toBe(410);
});

test("a used link to a new password does not tell which password it was", async () => {
  const { email } = await createPerson(server.pool);
  const link = await resetLink(email);
  await postForm(server, link, { password: NEW_PASSWORD });
  const guesses = Array.from({ length: 10 }, (_, index) => `${NEW_PASSWORD} ${index}`);
  const client = asClient();
  for (const password of guesses) {
    const guess = await postForm(server, link, { password }, undefined, client);
    expect([guess.status, guess.headers.getSetCookie()]).toEqual([410, []]);
  }
  expect((await postForm(server, link, { password: NEW_PASSWORD }, undefined, client)).status).toBe(410);
  const other = link.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  expect((await postForm(server, other, { password: NEW_PASSWORD })).status).toBe(410);
});

test("a used link to a new password is no form any more, wherever it is still open", async () => {
  const { email } = await createPerson(server.pool);
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
    expect(page).toContain("This link no longer works");
    expect(page).not.toContain("<form");
  }
});

test("a new password that is refused leaves the link as it was", async () => {
  const { email } = await createPerson(server.pool);
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

test("an unknown address gets the same answer, and no mail", async () => {
  const stranger = `${randomUUID()}@example.com`;
  const { email } = await createPerson(server.pool);
  const [known, unknown] = await Promise.all(
    [email, stranger].map((address) => postForm(server, "/forgot-password", { email: address })),
  );
  expect(unknown?.status).toBe(known?.status);
  expect(unknown?.headers.get("location")).toBe(known?.headers.get("location"));
  await mailTo(server, email, /^Choose a new password/);
  expect(await everyMailTo(server, stranger)).toEqual([]);
  expect(await mailsNaming(server, stranger)).toEqual([]);
});

test("signing in while the password is being changed does not outlive the change", async () => {
  const { email } = await createPerson(server.pool);
  const link = await resetLink(email);
  const [reset, ...signIns] = await Promise.all([
    postForm(server, link, { password: NEW_PASSWORD }),
    ...Array.from({ length: 20 }, () => signIn(email, PASSWORD)),
  ]);
  expect(reset?.status).toBe(303);
  for (const signedIn of signIns.filter(({ status }) => status === 303))
    expect(await isSignedIn(server, cookieOf(signedIn))).toBe(false);
});

test("a page that asks whether one signed up with a provider names those there are", async () => {
  const page = await mainOf(await fetch(`${server.origin}/forgot-password/sent`));
  expect(page).toMatch(/If you signed up with (<!-- -->)?Google or Facebook/);
});

test("what cannot be written is said to be our fault, in the spec's words", async () => {
  await server.pool.query("ALTER TABLE outbox RENAME TO outbox_away");
  const response = await postForm(server, "/forgot-password", { email: "ada@example.com" });
  await server.pool.query("ALTER TABLE outbox_away RENAME TO outbox");
  expect(response.status).toBe(500);
  expect(await mainOf(response)).toContain("Failed to send password reset email");
});
