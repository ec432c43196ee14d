import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openBrowser } from "../../../test/browser.ts";
import { cookieOf, mainOf, postForm } from "../../../test/http.ts";
import { linkIn, mailTo } from "../../../test/mail.ts";
import {
  addKey,
  codesIn,
  forgetCodes,
  makeRecoveryCodes,
  questionFor,
  SoftwareKey,
  setUpApp,
} from "../../../test/second-factor.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../../test/server.ts";
import {
  createPerson,
  get,
  isSignedIn,
  makeStale,
  PASSWORD,
  type Person,
  postAs,
  signInAgain,
  signUp,
  verify,
} from "../../../test/users.ts";
import { readConfig } from "../../config/config.server.ts";
import { connect, endPool } from "../../db/client.server.ts";
import { readAppSetup } from "./authenticator-app.server.ts";

const server = sharedServer();
const PATH = "/account/second-factor";

async function createOwner(): Promise<Person> {
  const person = await createPerson(server.pool);
  await verify(server, person);
  return person;
}

const locationOf = (answer: Response) => answer.headers.get("location");

const press = (person: Person, fields: Record<string, string>, page = "") =>
  postAs(server, person, PATH + page, fields);

/** Whether a press to sign in leads to the second step. */
async function takesTwoSteps({ email }: Person): Promise<boolean> {
  const answer = await postForm(server, "/login", { email, password: PASSWORD });
  return cookieOf(answer).startsWith("second-factor=");
}

test("an app is set up, signs out everywhere else, and leads to the recovery codes", async () => {
  const owner = await createOwner();
  const elsewhere = await signInAgain(server, owner.email);
  await press(owner, { do: "begin-app" });
  const page = await mainOf(await get(server, `${PATH}/app`, owner.cookie));
  expect(page).toContain("otpauth://totp/");
  expect(page).toContain("<svg");
  // Until its first code is entered it is none.
  expect(await takesTwoSteps(owner)).toBe(false);
  expect((await press(owner, { otp: "000000" }, "/app")).status).toBe(400);
  expect(await isSignedIn(server, elsewhere)).toBe(true);

  await setUpApp(server, owner);
  expect(await isSignedIn(server, owner.cookie)).toBe(true);
  expect(await isSignedIn(server, elsewhere)).toBe(false);
  expect(await takesTwoSteps(owner)).toBe(true);
  await mailTo(server, owner.email, /^A second sign-in step was added$/);
  const again = await press(owner, { do: "begin-app" });
  expect(locationOf(again)).toBe(PATH);
  expect(await mainOf(await get(server, "/account", owner.cookie))).toMatch(/Two-step login<\/dt><dd>On/);
});

test("an app reads whose account it is, whatever the product is called", async () => {
  const owner = await createOwner();
  await press(owner, { do: "begin-app" });
  const { db, pool } = connect(String(server.pool.options.connectionString), 1, () => {});
  const config = readConfig({ AUTH_SECRET, PRODUCT_NAME: "Own: Words : 2" });
  const url = new URL((await readAppSetup({ config, db }, owner))?.url ?? "");
  await endPool(pool);
  // As apps do: the label is divided at its first colon, and its issuer has to be the parameter.
  const [issuer, ...account] = decodeURIComponent(url.pathname.replace(/^\/*(totp\/)?/, "")).split(":");
  expect([issuer, ...account]).toEqual(["Own Words 2", owner.email]);
  expect(url.searchParams.get("issuer")).toBe(issuer);
});

test("the form sent twice sets it up once, and the second answer says that it is done", async () => {
  const owner = await createOwner();
  const app = await setUpApp(server, owner);
  const again = await press(owner, { otp: app.code() }, "/app");
  expect([again.status, locationOf(again)]).toEqual([303, `${PATH}/codes?said=app`]);
});

test("the secret is kept encrypted, recovery codes as hashes", async () => {
  const owner = await createOwner();
  await press(owner, { do: "begin-app" });
  const page = await (await get(server, `${PATH}/app`, owner.cookie)).text();
  const [, key = ""] = /secret=([A-Z2-7]{32})/.exec(page) ?? [];
  expect(key).toHaveLength(32);
  await setUpApp(server, owner);
  const codes = await makeRecoveryCodes(server, owner);
  const { rows } = await server.pool.query(
    `SELECT (SELECT secret FROM authenticator_apps WHERE user_id = $1) AS secret,
       (SELECT string_agg(code_hash, ' ') FROM recovery_codes WHERE user_id = $1) AS hashes`,
    [owner.id],
  );
  const kept = JSON.stringify(rows).toLowerCase();
  for (const secret of [key, ...codes, ...codes.map((code) => code.replaceAll("-", ""))])
    expect(kept).not.toContain(secret.toLowerCase());
});

test("an unconfirmed address gets no second factor, which would lock its owner out", async () => {
  const person = await createPerson(server.pool);
  expect(await mainOf(await get(server, PATH, person.cookie))).toContain("Confirm your email address before");
  for (const [page, fields] of [
    ["", { do: "begin-app" }],
    ["/app", { otp: "123456" }],
    ["/passkey", { name: "Key", passkey: "{}" }],
  ] as const)
    expect(locationOf(await press(person, fields, page))).toBe(PATH);
  const { rowCount } = await server.pool.query("SELECT FROM authenticator_apps WHERE user_id = $1", [
    person.id,
  ]);
  expect(rowCount).toBe(0);
  expect(
    (await openBrowser(server, person.cookie).post("/auth/passkey-options", { for: "add" })).status,
  ).toBe(403);
});

test("an unconfirmed account that has one all the same is taken over without it by the owner of the address", async () => {
  const stranger = await signUp(server, `${randomUUID()}@example.com`);
  await verify(server, stranger);
  await setUpApp(server, stranger);
  await server.pool.query(`UPDATE "user" SET email_verified = false WHERE id = $1`, [stranger.id]);
  await postForm(server, "/forgot-password", { email: stranger.email });
  const link = linkIn(await mailTo(server, stranger.email, /^Choose a new password/), "/reset-password");
  const owner = await postForm(server, link, { password: "lantern pickle ocean 12" });
  expect(locationOf(owner)).toBe("/dashboard");
  expect(await isSignedIn(server, cookieOf(owner))).toBe(true);
});

test("every page and action needs a recent sign-in, with the second factor too", async () => {
  const owner = await createOwner();
  const app = await setUpApp(server, owner);
  await forgetCodes(server, owner);
  const confirm = (path: string) => `/account/confirm?${new URLSearchParams({ return_to: path })}`;
  await makeStale(server, owner);
  for (const page of ["", "/app", "/passkey", "/codes"]) {
    expect(locationOf(await get(server, PATH + page, owner.cookie))).toBe(confirm(PATH + page));
    expect(locationOf(await press(owner, { do: "remove-app", otp: app.code(), form: "x" }, page))).toBe(
      confirm(PATH + page),
    );
  }
  const other = openBrowser(server, owner.cookie);
  expect((await other.post("/auth/passkey-options", { for: "add" })).status).toBe(403);

  // The password alone leads to the second step, and no further.
  await server.pool.query(
    "UPDATE session SET second_factor_at = now() - interval '15 minutes' WHERE user_id = $1",
    [owner.id],
  );
  const step = `/account/confirm/second-factor?${new URLSearchParams({ return_to: PATH })}`;
  const half = await postAs(server, owner, confirm(PATH), { password: PASSWORD });
  expect(locationOf(half)).toBe(step);
  expect(locationOf(await get(server, PATH, owner.cookie))).toBe(confirm(PATH));
  expect(locationOf(await get(server, confirm(PATH), owner.cookie))).toBe(step);
  expect((await postForm(server, step, { otp: "000000" }, owner.cookie)).status).toBe(400);
  const whole = await postAs(server, owner, step, { otp: app.code() });
  expect(locationOf(whole)).toBe(PATH);
  expect((await get(server, PATH, owner.cookie)).status).toBe(200);
});

test("a passkey is added by what the browser was asked, in this session, once", async () => {
  const [owner, other] = [await createOwner(), await createOwner()];
  const browser = openBrowser(server, owner.cookie);
  const key = new SoftwareKey(server.origin);
  const send = (passkey: string, by = browser) => by.post(`${PATH}/passkey`, { name: "Key", passkey });
  const evil = key.create(await questionFor(browser, "add"), "https://evil.example");
  expect((await send(evil)).status).toBe(400);
  const others = key.create(await questionFor(openBrowser(server, other.cookie), "add"));
  expect((await send(others)).status).toBe(400);
  const said = key.create(await questionFor(browser, "add"));
  expect((await send(said)).status).toBe(303);
  expect((await send(said)).status).toBe(400);
  expect(await takesTwoSteps(owner)).toBe(true);
  // No other user can add the same key.
  const stolen = key.create(await questionFor(openBrowser(server, other.cookie), "add"));
  const refused = await send(stolen, openBrowser(server, other.cookie));
  expect([refused.status, await mainOf(refused)]).toEqual([400, expect.stringContaining("in use already")]);
  expect(await takesTwoSteps(other)).toBe(false);
});

test("ten recovery codes, the same for a form sent twice, and ended by the next set", async () => {
  const owner = await createOwner();
  await setUpApp(server, owner);
  const page = await (await get(server, `${PATH}/codes`, owner.cookie)).text();
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(page) ?? [];
  const pressAsPage = () =>
    postForm(server, `${PATH}/codes`, { form }, owner.cookie, { "sec-fetch-mode": "navigate" });
  const [first, second] = await Promise.all([pressAsPage(), pressAsPage()]);
  expect(first.headers.get("cache-control")).toBe("no-store");
  const codes = await codesIn(first);
  expect(new Set(codes).size).toBe(10);
  expect(await codesIn(second)).toEqual(codes);
  const next = await makeRecoveryCodes(server, owner);
  expect(next.filter((code) => codes.includes(code))).toEqual([]);
  const { rows } = await server.pool.query(
    "SELECT count(*)::int AS kept FROM recovery_codes WHERE user_id = $1",
    [owner.id],
  );
  expect(rows).toEqual([{ kept: 10 }]);
});

test("the last one removed turns it off: codes end, and what waits can never be finished", async () => {
  const owner = await createOwner();
  await setUpApp(server, owner);
  await addKey(server, owner);
  const [code = ""] = await makeRecoveryCodes(server, owner);
  const waiting = openBrowser(server);
  await waiting.post("/login", { email: owner.email, password: PASSWORD });
  expect(locationOf(await press(owner, { do: "remove-app" }))).toBe(`${PATH}?said=removed`);
  expect(locationOf(await press(owner, { do: "remove-app" }))).toBe(`${PATH}?said=gone`);
  expect(await takesTwoSteps(owner)).toBe(true);
  const { rows } = await server.pool.query("SELECT id FROM passkeys WHERE user_id = $1", [owner.id]);
  const others = await createOwner();
  expect(locationOf(await press(others, { do: "remove-passkey", id: rows[0].id }))).toBe(`${PATH}?said=gone`);
  expect(locationOf(await press(owner, { do: "remove-passkey", id: rows[0].id }))).toBe(`${PATH}?said=off`);
  expect(await takesTwoSteps(owner)).toBe(false);
  expect(locationOf(await waiting.post("/login/second-factor", { otp: code }))).toContain("/login?");
  await mailTo(server, owner.email, /^A second sign-in step was removed$/);
});

test("a session opened while the first factor is added waits for it, or is ended by it", async () => {
  for (let round = 0; round < 3; round++) {
    const owner = await createOwner();
    await Promise.all([
      addKey(server, owner),
      ...Array.from({ length: 6 }, () =>
        postForm(server, "/login", { email: owner.email, password: PASSWORD }),
      ),
    ]);
    const { rows } = await server.pool.query(
      `SELECT id FROM session WHERE user_id = $1 AND NOT needs_second_factor AND second_factor_at IS NULL`,
      [owner.id],
    );
    expect(rows).toEqual([]);
  }
});
