import { randomUUID, scryptSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { breakStatements } from "../../test/away.ts";
import { asClient, cookieOf, mainOf, postForm } from "../../test/http.ts";
import { everyMailTo, linkIn, mailsNaming, mailTo } from "../../test/mail.ts";
import { TEST_LN } from "../../test/password-cost.ts";
import { postByRouter } from "../../test/router.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson, PASSWORD, signInAgain } from "../../test/users.ts";

const server = sharedServer();

const createAccount = async () => (await createPerson(server.pool)).email;

const signIn = (email: string, password = "not the password", client?: Record<string, string>) =>
  postForm(server, "/login", { email, password }, undefined, client);

const countStatuses = (answers: Response[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
  );

test("a client has three tries in ten seconds, and is told how long to wait", async () => {
  const client = asClient();
  const statuses = [];
  for (let time = 0; time < 3; time++)
    statuses.push((await signIn(await anyAddress(), undefined, client)).status);
  expect(statuses).toEqual([400, 400, 400]);
  const refused = await signIn(await anyAddress(), undefined, client);
  const seconds = Number(refused.headers.get("retry-after"));
  expect([refused.status, seconds]).toEqual([
    429,
    expect.toSatisfy((wait: number) => wait >= 1 && wait <= 10),
  ]);
  const page = await mainOf(refused);
  expect(page).toContain("Failed to sign in");
  expect(page).toMatch(new RegExp(`Wait ${seconds} seconds? and try again`));
  // A new password would not end this one.
  expect(page).not.toContain("Don’t want to wait?");
});

const anyAddress = async () => `${randomUUID()}@example.com`;

test("sixty clients with wrong passwords cost the owner of an account a notice, whose link ends a pause of their own", async () => {
  const email = await createAccount();
  const attack = await Promise.all(Array.from({ length: 60 }, () => signIn(email)));
  expect(countStatuses(attack)).toEqual({ 400: 60 });
  expect((await signIn(email, PASSWORD)).status).toBe(303);

  const mail = await mailTo(server, email, /^Too many wrong passwords/);
  const link = linkIn(mail, "/reset-password");
  await postForm(server, link, { password: "lantern pickle ocean 12" });
  expect((await signIn(email, "lantern pickle ocean 12")).status).toBe(303);
  const subjects = (await everyMailTo(server, email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject === mail.subject)).toHaveLength(1);
});

test("whatever strangers do with an address, its owner finds a way back in", async () => {
  const email = await anyAddress();
  const cookie = cookieOf(await postForm(server, "/register", { name: "Ada", email, password: PASSWORD }));
  for (let time = 0; time < 4; time++) await postForm(server, "/forgot-password", { email });
  await Promise.all(Array.from({ length: 12 }, () => signIn(email)));
  await server.pool.query("UPDATE session SET confirmed_at = now() - interval '15 minutes'");
  const confirm = await postForm(
    server,
    "/account/confirm?return_to=/account",
    { password: PASSWORD },
    cookie,
  );
  expect([confirm.status, confirm.headers.get("location")]).toEqual([303, "/account"]);
  expect((await postForm(server, "/verify-email/sent", {}, cookie)).status).toBe(303);
  const link = linkIn(await mailTo(server, email, /^Too many wrong passwords/), "/reset-password");
  expect((await postForm(server, link, { password: "lantern pickle ocean 12" })).status).toBe(303);
});

test("weak passwords may be tried often, but not for ever", async () => {
  const client = asClient();
  const statuses = [];
  for (let time = 0; time < 31; time++) {
    const fields = { name: "Ada", email: await anyAddress(), password: "passwordpassword" };
    statuses.push((await postForm(server, "/register", fields, undefined, client)).status);
  }
  expect(statuses).toEqual([...Array(30).fill(400), 429]);
});

test("a successful sign-in is not counted against the account", async () => {
  const email = await createAccount();
  for (let time = 0; time < 12; time++) expect((await signIn(email, PASSWORD)).status).toBe(303);
});

describe("when something breaks just after the password was found right", () => {
  // Who is still signed in as before is led on from the form.
  test.each([
    ["nobody can be let in", 302, "INSERT ON session", "true"],
    ["the session the browser had cannot be ended", 302, "DELETE ON session", "true"],
    [
      "the account's turn cannot be given back",
      303,
      "UPDATE ON rate_limits",
      "cardinality(NEW.hits) < cardinality(OLD.hits)",
    ],
  ] as const)("%s: in or out, never half", async (_what, status, statement, condition) => {
    const email = await createAccount();
    const before = cookieOf(await signIn(await createAccount(), PASSWORD));
    const mend = await breakStatements(server, statement, condition);
    const answer = await postForm(server, "/login", { email, password: PASSWORD }, before);
    await mend();
    expect(answer.status).toBe(status);
    expect(cookieOf(answer).startsWith("session=")).toBe(status === 303);
    expect((await postForm(server, "/login", { email, password: PASSWORD }, before)).status).toBe(303);
  });

  test("tries that broke on our side do not count", async () => {
    const email = await createAccount();
    const client = asClient();
    const mend = await breakStatements(server, "INSERT ON session");
    for (let time = 0; time < 12; time++) expect((await signIn(email, PASSWORD, client)).status).toBe(500);
    await mend();
    expect((await signIn(email, PASSWORD, client)).status).toBe(303);
  });

  test("a wrong password counts though its owner cannot be told", async () => {
    const email = await createAccount();
    const mend = await breakStatements(server, "INSERT ON outbox");
    const client = asClient();
    const statuses = [];
    for (let time = 0; time < 11; time++) {
      // Only the account's own limit is what this is about.
      await server.pool.query("DELETE FROM rate_limits WHERE key LIKE 'sign_in_by_client%'");
      statuses.push((await signIn(email, undefined, client)).status);
    }
    await mend();
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
  });
});

test("an unknown address is answered like any other, and no mail is sent", async () => {
  const email = await anyAddress();
  const attack = await Promise.all(Array.from({ length: 30 }, () => signIn(email)));
  expect(countStatuses(attack)).toEqual({ 400: 30 });
  expect(await everyMailTo(server, email)).toEqual([]);
  expect(await mailsNaming(server, email)).toEqual([]);
});

test("signing up ten times an hour is enough for one client, taken addresses included", async () => {
  const client = asClient();
  const taken = await createAccount();
  const again = (email: string) =>
    postForm(server, "/register", { name: "Ada", email, password: "not the password" }, undefined, client);
  for (let time = 0; time < 9; time++) expect((await again(await anyAddress())).status).toBe(303);
  expect((await again(taken)).status).toBe(400);
  expect((await again(await anyAddress())).status).toBe(429);
});

test("mails to one address: three a minute from all clients together, for a known address and an unknown one", async () => {
  for (const email of [await createAccount(), await anyAddress()]) {
    const answers = [];
    for (let time = 0; time < 4; time++) answers.push(await postForm(server, "/forgot-password", { email }));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 429]);
    expect(await mainOf(answers[3] ?? Response.error())).toMatch(
      /Failed to send password reset email.*Wait \d+ seconds? and try again/s,
    );
  }
});

test("asked for the confirming mail too often, the page says how long to wait", async () => {
  const email = await anyAddress();
  const cookie = cookieOf(await postForm(server, "/register", { name: "Ada", email, password: PASSWORD }));
  const statuses = [];
  for (let time = 0; time < 3; time++)
    statuses.push((await postForm(server, "/verify-email/sent", {}, cookie)).status);
  expect(statuses).toEqual([303, 303, 303]);
  const refused = await postForm(server, "/verify-email/sent", {}, cookie);
  expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([
    429,
    expect.toSatisfy((wait: number) => wait >= 1 && wait <= 60),
  ]);
  expect(await mainOf(refused)).toMatch(/Wait \d+ seconds? and try again/);
});

test.each([
  [
    "/register",
    /Your account is free\..*Next, choose a plan or enter a promo code\. You pay only on the payment page\./,
  ],
  [
    "/register?return_to=/subscription?plan=prod_csv_only",
    /You chose CSV Only, \$29\.99 a year\.[\s\S]*You pay on the payment page, after the next step\./,
  ],
  ["/register?return_to=/account", /Your account is free\..*You pay only if you buy a plan\./],
  ["/login", /New here\? <a href="\/register"[ >]/],
  ["/login?return_to=/test-promo", /New here\? <a href="\/register\?return_to=%2Ftest-promo"[ >]/],
  ["/login?return_to=//evil.example", /New here\? <a href="\/register"[ >]/],
])("%s says what follows", async (path, words) => {
  expect(await mainOf(await fetch(server.origin + path))).toMatch(words);
});

test("on the way in there is one notice at a time", async () => {
  const reason = /Allow cookies and try again/;
  const failure = "provider=google&error=access-denied";
  expect(await mainOf(await fetch(`${server.origin}/login?reason=cookies`))).toMatch(reason);
  expect(await mainOf(await fetch(`${server.origin}/login?reason=cookies&${failure}`))).not.toMatch(reason);
  const refused = await postForm(server, `/login?reason=cookies&${failure}`, {
    email: await anyAddress(),
    password: "x",
  });
  const page = await mainOf(refused);
  expect(page).toMatch(/Wrong email address or password\./);
  expect(page.match(/border-l-\[6px\]/g)).toHaveLength(1);
});

/** Headers that differ between any two answers: the clock, and how well the address that was typed compresses. */
const DIFFERENT = new Set(["date", "content-length"]);

/** An answer without what differs between any two answers. */
async function shapeOf(answer: Response, email: string): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => !DIFFERENT.has(name));
  const body = (await answer.text()).replaceAll(email, "ADDRESS");
  const [, nonce] = /'nonce-([^']+)'/.exec(answer.headers.get("content-security-policy") ?? "") ?? [];
  const shape = JSON.stringify([answer.status, headers, body]);
  return nonce ? shape.replaceAll(nonce, "NONCE") : shape;
}

// That they cost the same work is said in passwords.server.test.ts, that they take the same time by
// `npm run soak -- answer-times`.
test.each([
  ["/login", { password: "not the password" }],
  ["/forgot-password", {}],
])("%s answers the same for addresses with an account and without", async (path, fields) => {
  const addresses = [await createAccount(), await createAccount(), await anyAddress(), await anyAddress()];
  for (const send of [postForm, postByRouter]) {
    const shapes = new Set<string>();
    for (const email of addresses)
      shapes.add(await shapeOf(await send(server, path, { email, ...fields }), email));
    expect(shapes.size).toBe(1);
  }
});

test("who has an old hash signs in as before, by two forms at once, and has a new one from then on", async () => {
  const { id, email } = await createPerson(server.pool);
  // "correct horse battery", made by version 0.8.
  const salt = "00112233445566778899aabbccddeeff";
  const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
  const key = scryptSync(PASSWORD, salt, 64, cost).toString("hex");
  await server.pool.query("UPDATE account SET password = $1 WHERE user_id = $2", [`${salt}:${key}`, id]);
  const answers = await Promise.all(
    [1, 2].map(() => postForm(server, "/login", { email, password: PASSWORD })),
  );
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  const { rows } = await server.pool.query("SELECT password FROM account WHERE user_id = $1", [id]);
  expect(rows[0].password).toMatch(`$scrypt$ln=${TEST_LN},r=8,p=3$`);
  await signInAgain(server, email);
});
