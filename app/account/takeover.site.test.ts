import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { beginAt, chooseAt, openBrowser, signInAt, turnKnobs } from "../../test/browser.ts";
import { textOf } from "../../test/head.ts";
import { call, checkoutOf, cookieOf, eventually, mainOf, postForm } from "../../test/http.ts";
import { everyMailTo, linkIn, mailTo } from "../../test/mail.ts";
import { makePhoto, uploadPhoto } from "../../test/photos.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { isSignedIn, PASSWORD, type Person, postAs, signInAgain, signUp, verify } from "../../test/users.ts";

// What an attacker can do who was signed in to an account once, or created it with another person's address.

const NEW_PASSWORD = "lantern pickle ocean 12";

const server = sharedServer();

afterEach(() => turnKnobs(server, { reset: true }));

const newAddress = () => `${randomUUID()}@example.com`;

const changePassword = (person: Person) =>
  postAs(server, person, "/account/password", { current_password: PASSWORD, password: NEW_PASSWORD });

/** Everything an attacker can leave in another person's account. */
interface Foothold {
  cookie: string;
  token: string;
  /** A link to an address of their own. */
  changeLink: string;
  checkoutUrl: string;
}

/** What a stranger does at once who got into an account with the owner's address. */
async function settleIn(cookie: string): Promise<Foothold> {
  const wanted = newAddress();
  expect((await postForm(server, "/account/email", { email: wanted }, cookie)).status).toBe(303);
  const changeLink = linkIn(await mailTo(server, wanted, /^Confirm your new/), "/account/email/confirm");
  const { token } = (await (
    await fetch(`${server.origin}/api/token`, { headers: { cookie, origin: server.origin } })
  ).json()) as { token: string };
  const profile = { displayName: "Mallory", photoUrl: "https://mallory.example/seen.gif" };
  expect((await updateProfile({ authorization: `Bearer ${token}` }, profile)).status).toBe(200);
  expect(
    (await postForm(server, "/account", { form: "notifications", product_news: "on" }, cookie)).status,
  ).toBe(303);
  expect((await uploadPhoto(server, cookie, await makePhoto())).status).toBe(303);
  const { result } = (await (await call(server, checkoutOf(server), cookie)).json()) as {
    result: { url: string };
  };
  return { cookie, token, changeLink, checkoutUrl: result.url };
}

const updateProfile = (headers: Record<string, string>, change: object) =>
  fetch(`${server.origin}/v1/accounts:update`, {
    method: "POST",
    headers: { origin: server.origin, "content-type": "application/json", ...headers },
    body: JSON.stringify(change),
  });

/** Nothing of what a stranger had in the account of an address is of any use, and nothing they wrote is left. */
async function expectEvicted(email: string, foothold: Foothold): Promise<void> {
  const { cookie, token, changeLink, checkoutUrl } = foothold;
  expect(await isSignedIn(server, cookie)).toBe(false);
  expect((await updateProfile({ authorization: `Bearer ${token}` }, {})).status).toBe(401);
  expect((await postForm(server, "/login", { email, password: PASSWORD })).status).toBe(400);
  expect((await postForm(server, changeLink, {}, cookie)).status).toBe(410);
  const facebook = await signInAt(openBrowser(server), "facebook", { email });
  expect(facebook.headers.get("location")).toContain("error=account-exists");
  const { rows } = await server.pool.query(`SELECT * FROM "user" WHERE email = $1`, [email]);
  expect(rows[0]).toMatchObject({ email, name: "", product_news_since: null });
  for (const column of await optionalTexts()) expect(rows[0], column).toHaveProperty(column, null);
  const photos = await server.pool.query("SELECT FROM photos WHERE user_id = $1", [rows[0].id]);
  expect(photos.rowCount).toBe(0);
  await eventually(async () => {
    const page = await server.pool.query(
      "SELECT object->>'status' AS status FROM sandbox_stripe.objects WHERE id = $1",
      [new URL(checkoutUrl).pathname.split("/").at(-1)],
    );
    return page.rows[0]?.status === "expired";
  }, "the page to pay on being closed");
}

/** Where people may write what they like, also columns of tomorrow: those that `takeOver` clears. */
async function optionalTexts(): Promise<string[]> {
  const { rows } = await server.pool.query(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_name = 'user' AND data_type = 'text' AND is_nullable = 'YES'`,
  );
  return rows.map(({ name }) => name);
}

async function fillTexts(email: string): Promise<void> {
  const texts = (await optionalTexts()).map((name) => `"${name}" = coalesce("${name}", 'Mallory')`);
  await server.pool.query(`UPDATE "user" SET ${texts.join(", ")} WHERE email = $1`, [email]);
}

/** The owner of an address comes by Google, does all that the pages and mails tell them, and is in at last. */
async function arriveByGoogle(email: string): Promise<void> {
  const owner = openBrowser(server);
  const refused = await signInAt(owner, "google", { email });
  const page = refused.headers.get("location") ?? "";
  expect(page).toContain("error=address-unconfirmed");
  const told = await mainOf(await owner.get(page));
  expect(told).toContain("If it’s yours, reset the password, then connect Google.");
  expect(told).toContain('href="/forgot-password"');

  const verifyLink = linkIn(await mailTo(server, email, /^Confirm your email/), "/verify-email");
  expect((await owner.post(verifyLink, {})).status).toBe(401);
  const stillRefused = await signInAt(owner, "google", { email });
  expect(stillRefused.headers.get("location")).toContain("error=address-unconfirmed");

  expect(await mainOf(await owner.get(verifyLink))).toContain('action="/forgot-password"');
  expect((await owner.post("/forgot-password", { email })).status).toBe(303);
  const reset = linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password");
  expect(await mainOf(await owner.get(reset))).toContain("This email address was never confirmed");
  expect((await owner.post(reset, { password: NEW_PASSWORD })).status).toBe(303);
  expect((await postForm(server, verifyLink, {})).status).toBe(410);
  expect((await signInAt(owner, "google", { email })).headers.get("location")).toBe("/dashboard");
  await mailTo(server, email, /^Google is connected/);
}

test.each([
  ["another password", (owner: Person) => changePassword(owner)],
  [
    "signing out all others",
    ({ cookie }: Person) => postForm(server, "/account/sessions", { end: "others" }, cookie),
  ],
])("a change of address that a thief asked for ends with %s", async (_, end) => {
  const owner = await signUp(server);
  const thief = await signInAgain(server, owner.email);
  const wanted = newAddress();
  await postForm(server, "/account/email", { email: wanted }, thief);
  const link = linkIn(await mailTo(server, wanted, /^Confirm your new/), "/account/email/confirm");
  expect((await end(owner)).status).toBe(303);
  expect(await isSignedIn(server, thief)).toBe(false);
  expect((await postForm(server, link, { password: NEW_PASSWORD }, owner.cookie)).status).toBe(410);
});

test("a provider that a thief is just connecting is not connected once the password is another", async () => {
  const owner = await signUp(server);
  await verify(server, owner);
  const thief = openBrowser(server, await signInAgain(server, owner.email));
  const callback = await chooseAt(thief, await beginAt(thief, "google", { intent: "connect" }), {
    email: newAddress(),
  });
  const countUsed = async () =>
    (await server.pool.query("SELECT FROM provider_flows WHERE used_at IS NOT NULL")).rowCount ?? 0;
  const before = await countUsed();
  await turnKnobs(server, { token: "hang" });
  const coming = thief.get(callback);
  await eventually(async () => (await countUsed()) > before, "the provider is being asked");
  expect((await changePassword(owner)).status).toBe(303);
  await turnKnobs(server, { reset: true });
  expect((await coming).headers.get("location")).toContain("error=signed-out");
  const { rows } = await server.pool.query("SELECT provider_id FROM account WHERE user_id = $1", [owner.id]);
  expect(rows).toEqual([{ provider_id: "credential" }]);
});

test("a reset can disconnect what was connected, and says what is", async () => {
  const email = newAddress();
  await signInAt(openBrowser(server), "google", { email });
  await postForm(server, "/forgot-password", { email });
  const link = linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password");
  expect(textOf(await mainOf(await fetch(server.origin + link)))).toContain("Disconnect Google");
  await postForm(server, link, { password: NEW_PASSWORD, disconnects: "true" });
  const again = await signInAt(openBrowser(server), "google", { email, isVerified: false });
  expect(again.headers.get("location")).toContain("error=account-exists");
});

test("signing in as another user ends the session the browser had", async () => {
  const [first, second] = [await signUp(server), await signUp(server)];
  const answer = await postForm(server, "/login", { email: second.email, password: PASSWORD }, first.cookie);
  expect([answer.status, await isSignedIn(server, cookieOf(answer))]).toEqual([303, true]);
  expect(await isSignedIn(server, first.cookie)).toBe(false);
});

test("a stranger's address gets no more mail by changing away from it than by signing up with it", async () => {
  const person = await signUp(server);
  for (let time = 0; time < 3; time++) {
    const response = await postForm(server, "/account/email", { email: newAddress() }, person.cookie);
    expect(response.status).toBe(303);
  }
  expect((await postForm(server, "/account/email", { email: newAddress() }, person.cookie)).status).toBe(429);
  expect(await everyMailTo(server, person.email)).toHaveLength(1);
});

test("a sign-in to an account that is being deleted opens no session, and nothing breaks", async () => {
  const person = await signUp(server);
  const deleted = server.pool.query(`DELETE FROM "user" WHERE id = $1`, [person.id]);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => postForm(server, "/login", { email: person.email, password: PASSWORD })),
  );
  await deleted;
  for (const answer of answers) expect([303, 400]).toContain(answer.status);
});

test.each(["/auth/popup/outcome?nonce=%00", "/auth/popup/google?nonce=%00", "/account/sessions"])(
  "%s takes odd input for what it is",
  async (path) => {
    expect((await fetch(server.origin + path)).status).toBeLessThan(500);
  },
);

test("a stranger who signed up with the owner's address has nothing left when the owner comes by Google", async () => {
  const { email, cookie } = await signUp(server);
  const foothold = await settleIn(cookie);
  await fillTexts(email);
  await arriveByGoogle(email);
  await expectEvicted(email, foothold);
});

test("nor has one who came with it by Facebook", async () => {
  const email = newAddress();
  const mallory = openBrowser(server);
  expect((await signInAt(mallory, "facebook", { email })).headers.get("location")).toBe("/dashboard#top");
  const foothold = await settleIn(`session=${mallory.cookies.get("session")}`);
  await fillTexts(email);
  await arriveByGoogle(email);
  await expectEvicted(email, foothold);
});

test("a stranger who moves an account to the owner's address never gets the owner into it", async () => {
  const mallory = await signUp(server);
  await verify(server, mallory);
  const email = newAddress();
  await postForm(server, "/account/email", { email }, mallory.cookie);
  const link = linkIn(await mailTo(server, email, /^Confirm your new/), "/account/email/confirm");
  const owner = openBrowser(server);
  expect((await owner.post(link, {})).status).toBe(401);
  expect((await owner.post(link, { password: NEW_PASSWORD })).status).toBe(400);
  expect((await signInAt(owner, "google", { email })).headers.get("location")).toBe("/dashboard");
  expect((await owner.post(link, {})).status).toBe(401);
  expect((await postForm(server, link, {}, mallory.cookie)).status).toBe(409);
  const { rows } = await server.pool.query(`SELECT id = $2 AS is_mallorys FROM "user" WHERE email = $1`, [
    email,
    mallory.id,
  ]);
  expect(rows).toEqual([{ is_mallorys: false }]);
});

test("a new password for a confirmed account leaves its owner's name and photo", async () => {
  const person = await signUp(server);
  await verify(server, person);
  await updateProfile({ cookie: person.cookie }, { photoUrl: "https://ada.example/me.jpg" });
  await postForm(server, "/forgot-password", { email: person.email });
  const link = linkIn(await mailTo(server, person.email, /^Choose a new password/), "/reset-password");
  expect((await postForm(server, link, { password: NEW_PASSWORD })).status).toBe(303);
  const { rows } = await server.pool.query(`SELECT name, image FROM "user" WHERE id = $1`, [person.id]);
  expect(rows).toEqual([{ name: "Ada Lovelace", image: "https://ada.example/me.jpg" }]);
});

test("a foreign page's way to log in does not begin a connection", async () => {
  const person = await signUp(server);
  await verify(server, person);
  for (const return_to of ["/auth/popup/google?intent=connect", "/%61uth/popup/google?intent=connect"]) {
    const answer = await postForm(server, "/login", { email: person.email, password: PASSWORD, return_to });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/dashboard"]);
  }
});
