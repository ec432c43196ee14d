import { expect, test } from "vitest";
import { openBrowser } from "../../test/browser.ts";
import { mainOf, postForm } from "../../test/http.ts";
import { countMails, everyMailTo, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import {
  connectProvider,
  createPerson,
  get,
  isSignedIn,
  PASSWORD,
  type Person,
  postAs,
  signInAgain,
  verify,
} from "../../test/users.ts";

const NEW_PASSWORD = "lantern pickle ocean 12";

const server = sharedServer();

const changePassword = (cookie: string, current_password: string, password: string) =>
  postForm(server, "/account/password", { current_password, password }, cookie);

const disconnect = ({ cookie }: Person, id: string) =>
  postForm(server, "/account/connections", { disconnect: id }, cookie);

async function providersOf({ id }: Person): Promise<string[]> {
  const { rows } = await server.pool.query(
    "SELECT provider_id FROM account WHERE user_id = $1 ORDER BY provider_id",
    [id],
  );
  return rows.map((row) => row.provider_id);
}

/** A user who signed up by providers and has no password. */
async function signUpBy(...providers: string[]) {
  const person = await createPerson(server.pool);
  const connections: string[] = [];
  for (const provider of providers) connections.push(await connectProvider(server, person, provider));
  await server.pool.query("DELETE FROM account WHERE user_id = $1 AND provider_id = 'credential'", [
    person.id,
  ]);
  return { person, connections };
}

test("a changed password works, the old one does not, and all other sessions end", async () => {
  const person = await createPerson(server.pool);
  const others = [await signInAgain(server, person.email), await signInAgain(server, person.email)];
  await postForm(server, "/forgot-password", { email: person.email });
  await mailTo(server, person.email, /^Choose a new password/);

  const changed = await postAs(server, person, "/account/password", {
    current_password: PASSWORD,
    password: NEW_PASSWORD,
  });
  expect([changed.status, changed.headers.get("location")]).toEqual([303, "/account?changed=password"]);
  expect(await isSignedIn(server, person.cookie)).toBe(true);
  for (const other of others) expect(await isSignedIn(server, other)).toBe(false);
  expect((await postForm(server, "/login", { email: person.email, password: PASSWORD })).status).toBe(400);
  await signInAgain(server, person.email, NEW_PASSWORD);
  await mailTo(server, person.email, /password was changed$/);
  const links = await server.pool.query(
    "SELECT FROM mail_links WHERE user_id = $1 AND purpose = 'reset_password'",
    [person.id],
  );
  expect(links.rowCount).toBe(0);
});

test("a password that is wrong, too short, too long or too easy changes nothing", async () => {
  const person = await createPerson(server.pool);
  const other = await signInAgain(server, person.email);
  for (const [current, next, reason] of [
    ["not the password", NEW_PASSWORD, "Wrong password."],
    ["not the password", "not the password", "Wrong password."],
    ["not the password", "password1234", "Wrong password."],
    ["", NEW_PASSWORD, "Enter your password"],
    [PASSWORD, PASSWORD, "This is already your password. Choose a different one."],
    [PASSWORD, "short", "at least 12 characters"],
    [PASSWORD, "x".repeat(129), "at most 128 characters"],
    [PASSWORD, "password1234", "Choose a password that"],
    ["x".repeat(50_000), NEW_PASSWORD, "Wrong password."],
  ] as const) {
    const refused = await changePassword(person.cookie, current, next);
    expect([reason, refused.status]).toEqual([reason, 400]);
    const page = await mainOf(refused);
    expect(page).toContain(reason);
    if (reason !== "This is already your password. Choose a different one.")
      expect(page).not.toContain("This is already your password.");
    expect(page).not.toContain(NEW_PASSWORD);
  }
  expect(await isSignedIn(server, other)).toBe(true);
  await signInAgain(server, person.email);
});

test("of twenty changes at once one is made, and its password is the one that works", async () => {
  const person = await createPerson(server.pool);
  const wanted = Array.from({ length: 20 }, (_, index) => `${NEW_PASSWORD} ${index}`);
  const answers = await Promise.all(wanted.map((next) => changePassword(person.cookie, PASSWORD, next)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 303)).toHaveLength(1);
  expect(await everyMailTo(server, person.email)).toHaveLength(1);
  await signInAgain(server, person.email, wanted[statuses.indexOf(303)]);
});

test("who has no password sets one, and cannot be asked for one", async () => {
  const { person } = await signUpBy("google");
  const confirm = await mainOf(await get(server, "/account/confirm", person.cookie));
  expect(confirm).not.toContain('type="password"');
  expect((await postForm(server, "/account/confirm", { password: PASSWORD }, person.cookie)).status).toBe(
    400,
  );

  const page = await mainOf(await get(server, "/account/password", person.cookie));
  expect(page).toContain("Set a password");
  expect(page).not.toContain("Current password");
  const set = await postAs(server, person, "/account/password", { password: NEW_PASSWORD });
  expect(set.status).toBe(303);
  await signInAgain(server, person.email, NEW_PASSWORD);
  await mailTo(server, person.email, /^A password was added to your/);
  // From now on the old one is asked for.
  expect((await postForm(server, "/account/password", { password: PASSWORD }, person.cookie)).status).toBe(
    400,
  );
});

test("disconnecting: one's own, once, and never the last way in", async () => {
  const person = await createPerson(server.pool);
  const google = await connectProvider(server, person, "google");
  expect(await mainOf(await get(server, "/account/connections", person.cookie))).toContain("Connected since");
  const stranger = await createPerson(server.pool);
  expect((await disconnect(stranger, google)).status).toBe(303);
  expect(await providersOf(person)).toEqual(["credential", "google"]);

  const written = await countMails(server, async () => {
    for (const _ of [1, 2]) expect((await disconnect(person, google)).status).toBe(303);
  });
  expect(written).toBe(1);
  expect(await providersOf(person)).toEqual(["credential"]);
  await mailTo(server, person.email, /^Google was disconnected from your \w+ account$/);

  const { rows } = await server.pool.query("SELECT id FROM account WHERE user_id = $1", [person.id]);
  await disconnect(person, rows[0].id);
  expect(await providersOf(person)).toEqual(["credential"]);

  const { person: other, connections } = await signUpBy("facebook");
  const refused = await disconnect(other, connections[0] ?? "");
  expect(refused.status).toBe(409);
  expect(await mainOf(refused)).toContain("It’s your only sign-in method.");
  expect(await providersOf(other)).toEqual(["facebook"]);
  const notAField = await postForm(
    server,
    "/account/connections",
    { disconnect: "x".repeat(5000) },
    other.cookie,
  );
  expect(notAField.status).toBe(400);
});

test("what was connected or disconnected is named, as long as it is so", async () => {
  const person = await createPerson(server.pool);
  await verify(server, person);
  const pageOf = async (query: string) =>
    mainOf(await get(server, `/account/connections?${query}`, person.cookie));
  const isConnected = "Google is connected. You can now sign in with it.";
  const isDisconnected = "Google is disconnected. You can no longer sign in with it.";
  expect(await pageOf("connected=google")).not.toContain(isConnected);
  const google = await connectProvider(server, person, "google");
  expect(await pageOf("connected=google")).toContain(isConnected);
  const failed = await pageOf("connected=google&provider=google&error=access-denied");
  expect(failed).toContain("Failed to sign in with Google");
  expect(failed).not.toContain(isConnected);
  expect(await pageOf("disconnected=google")).not.toContain(isDisconnected);

  const fields = { disconnect: google, provider: "google" };
  const sent = await postForm(server, "/account/connections", fields, person.cookie);
  expect(sent.headers.get("location")).toBe("/account/connections?disconnected=google");
  expect(await pageOf("disconnected=google")).toContain(isDisconnected);
  expect(await pageOf("disconnected=google&provider=google&error=access-denied")).not.toContain(
    isDisconnected,
  );
  for (const unknown of ["", "credential", "<b>x</b>"]) {
    const answer = await postForm(
      server,
      "/account/connections",
      { disconnect: google, provider: unknown },
      person.cookie,
    );
    expect(answer.headers.get("location")).toBe("/account/connections");
    expect(await pageOf(`disconnected=${encodeURIComponent(unknown)}`)).not.toContain(
      "can no longer sign in with it",
    );
  }
});

test("two providers disconnected at once: one stays", async () => {
  for (let round = 0; round < 20; round++) {
    const { person, connections } = await signUpBy("google", "facebook");
    const answers = await Promise.all(connections.map((id) => disconnect(person, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    expect(await providersOf(person)).toHaveLength(1);
  }
});

test("connecting needs a confirmed address, and says so", async () => {
  const person = await createPerson(server.pool);
  const before = await mainOf(await get(server, "/account/connections", person.cookie));
  expect(before).toContain("Confirm your email address before you connect an account");
  await verify(server, person);
  const after = await mainOf(await get(server, "/account/connections", person.cookie));
  expect(after).not.toContain("Confirm your email address before you connect");
});

const WELL_KNOWN = "/.well-known/change-password";

test("a password manager finds the page that changes a password, by way of signing in", async () => {
  const { cookie } = await createPerson(server.pool);
  const browser = openBrowser(server, cookie);
  const found = await browser.get(WELL_KNOWN);
  expect([found.status, found.headers.get("location")]).toEqual([303, "/account/password"]);
  expect(await mainOf(await browser.get("/account/password"))).toContain("Change your password");

  const visitor = openBrowser(server);
  const sentOn = await visitor.get((await visitor.get(WELL_KNOWN)).headers.get("location") ?? "");
  expect(sentOn.headers.get("location")).toBe("/login?return_to=%2Faccount%2Fpassword");
  // What a password manager asks to learn whether addresses that are not there are said to be so.
  expect(
    (await visitor.get("/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"))
      .status,
  ).toBe(404);
});
