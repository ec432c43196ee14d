import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { beginAt, chooseAt, openBrowser, signInAt, turnKnobs } from "../../test/browser.ts";
import { textOf } from "../../test/head.ts";
import { cookieOf, eventually, mainOf, postForm } from "../../test/http.ts";
import { linkIn, mailTo } from "../../test/mail.ts";
import { startServer, type TestServer } from "../../test/server.ts";
import { PASSWORD, signInAgain, signUp, verify } from "./profile/test-people.ts";

// What somebody can do who was in an account once, or made it with somebody else's address.

const NEW_PASSWORD = "lantern pickle ocean 12";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterEach(() => turnKnobs(server, { reset: true }));

afterAll(() => server.stop());

const newAddress = () => `${randomUUID()}@example.com`;

async function isSignedIn(cookie: string): Promise<boolean> {
  const response = await fetch(`${server.origin}/dashboard`, { headers: { cookie }, redirect: "manual" });
  return response.status === 200;
}

const changePassword = (cookie: string) =>
  postForm(server, "/account/password", { current_password: PASSWORD, password: NEW_PASSWORD }, cookie);

test.each([
  ["another password", (cookie: string) => changePassword(cookie)],
  [
    "signing out all others",
    (cookie: string) => postForm(server, "/account/sessions", { end: "others" }, cookie),
  ],
])("a change of address that a thief asked for ends with %s", async (_, end) => {
  const owner = await signUp(server);
  const thief = await signInAgain(server, owner.email);
  const wanted = newAddress();
  await postForm(server, "/account/email", { email: wanted }, thief);
  const link = linkIn(await mailTo(server, wanted, /^Confirm your new/), "/account/email/confirm");
  expect((await end(owner.cookie)).status).toBe(303);
  expect(await isSignedIn(thief)).toBe(false);
  expect((await postForm(server, link, {})).status).toBe(410);
});

test("a provider that a thief is just connecting is not connected once the password is another", async () => {
  const owner = await signUp(server);
  await verify(server, owner);
  const thief = openBrowser(server, await signInAgain(server, owner.email));
  const callback = await chooseAt(thief, await beginAt(thief, "google", { intent: "connect" }), {
    email: newAddress(),
  });
  await turnKnobs(server, { delay_ms: 2000 });
  const coming = thief.get(callback);
  await eventually(async () => {
    const { rowCount } = await server.pool.query("SELECT FROM provider_flows WHERE used_at IS NOT NULL");
    return rowCount === 1;
  }, "the provider is being asked");
  expect((await changePassword(owner.cookie)).status).toBe(303);
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

test("signing in as somebody else ends the session the browser had", async () => {
  const [first, second] = [await signUp(server), await signUp(server)];
  const answer = await postForm(server, "/login", { email: second.email, password: PASSWORD }, first.cookie);
  expect([answer.status, await isSignedIn(cookieOf(answer))]).toEqual([303, true]);
  expect(await isSignedIn(first.cookie)).toBe(false);
});

test("a stranger's address gets no more mail by changing away from it than by signing up with it", async () => {
  const person = await signUp(server);
  for (let time = 0; time < 3; time++) {
    const response = await postForm(server, "/account/email", { email: newAddress() }, person.cookie);
    expect(response.status).toBe(303);
  }
  expect((await postForm(server, "/account/email", { email: newAddress() }, person.cookie)).status).toBe(429);
  const mails = (await (await fetch(`${server.origin}/sandbox/mail.json`)).json()) as { to: string }[];
  expect(mails.filter(({ to }) => to === person.email)).toHaveLength(1);
});

test("an account that is deleted while somebody signs in lets nobody in, and nothing breaks", async () => {
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

test("a photo's address and a name cannot carry what nobody sees", async () => {
  const { cookie } = await signUp(server);
  for (const change of [{ photoUrl: "https://a.example/\u0000" }, { displayName: "\u200b" }]) {
    const response = await fetch(`${server.origin}/v1/accounts:update`, {
      method: "POST",
      headers: { origin: server.origin, cookie, "content-type": "application/json" },
      body: JSON.stringify(change),
    });
    expect(response.status).toBe(400);
  }
});
