import { expect, test } from "vitest";
import { mainOf, postForm } from "../../../test/http.ts";
import { everyMailTo } from "../../../test/mail.ts";
import {
  addKey,
  cookiesOf,
  countSessions,
  createAppOwner,
  forgetCodes,
  makeRecoveryCodes,
  openPending,
  questionFor,
  SoftwareKey,
  setUpApp,
} from "../../../test/second-factor.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createPerson, isSignedIn, postAs, verify } from "../../../test/users.ts";

const server = sharedServer();

const withApp = () => createAppOwner(server);

/** Their second factor has to be shown again. */
const makeStale = ({ id }: { id: string }) =>
  server.pool.query(
    "UPDATE session SET second_factor_at = now() - interval '11 minutes' WHERE user_id = $1",
    [id],
  );

test("a code works once, of any number at the same time, and never one before it", async () => {
  const { id, email, app } = await withApp();
  const browsers = await Promise.all(Array.from({ length: 8 }, () => openPending(server, email)));
  const otp = app.code();
  const answers = await Promise.all(browsers.map((browser) => browser.post("/login/second-factor", { otp })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(7).fill(400)]);
  expect(await countSessions(server, id)).toEqual({ waiting: 7, open: 2 });
  const [again] = browsers.filter((browser) => !browser.cookies.get("session"));
  const older = await again?.post("/login/second-factor", { otp: app.code(-1) });
  expect(older?.status).toBe(400);
  expect(await mainOf(older as Response)).toContain("Wrong code.");
  expect((await again?.post("/login/second-factor", { otp: app.code(1) }))?.status).toBe(303);
});

test("codes two steps away are wrong", async () => {
  const { email, app } = await withApp();
  const browser = await openPending(server, email);
  for (const steps of [-2, 2])
    expect((await browser.post("/login/second-factor", { otp: app.code(steps) })).status).toBe(400);
});

test("one client has thirty tries in ten minutes, at however many accounts", async () => {
  const { email } = await withApp();
  const browser = await openPending(server, email);
  for (let tries = 0; tries < 30; tries++)
    expect((await browser.post("/login/second-factor", { passkey: "{}" })).status).toBe(400);
  expect((await browser.post("/login/second-factor", { passkey: "{}" })).status).toBe(429);
});

test("a recovery code works once, also of two at the same time", async () => {
  const { id, email, cookie } = await withApp();
  const [code = ""] = await makeRecoveryCodes(server, { cookie });
  const both = await Promise.all([openPending(server, email), openPending(server, email)]);
  const answers = await Promise.all(
    both.map((browser) => browser.post("/login/second-factor", { otp: code })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400]);
  const { rows } = await server.pool.query(
    "SELECT count(*)::int AS used FROM recovery_codes WHERE user_id = $1 AND used_at IS NOT NULL",
    [id],
  );
  expect(rows).toEqual([{ used: 1 }]);
});

test("a passkey signs in; what it said does nothing a second time, elsewhere, or for another origin", async () => {
  const person = await createPerson(server.pool);
  await verify(server, person);
  const key = await addKey(server, person);
  const browser = await openPending(server, person.email);
  const stranger = new SoftwareKey(server.origin);
  const path = "/login/second-factor";
  const send = async (passkey: string, by = browser) => (await by.post(path, { passkey })).status;

  expect(await send(key.get(await questionFor(browser, "sign_in"), "https://evil.example"))).toBe(400);
  expect(await send(stranger.get(await questionFor(browser, "sign_in")))).toBe(400);
  const elsewhere = await openPending(server, person.email);
  expect(await send(key.get(await questionFor(browser, "sign_in")), elsewhere)).toBe(400);
  const first = await questionFor(browser, "sign_in");
  await questionFor(browser, "sign_in");
  expect(await send(key.get(first))).toBe(400);

  const said = key.get(await questionFor(browser, "sign_in"));
  expect(await send(said)).toBe(303);
  expect(await isSignedIn(server, cookiesOf(browser))).toBe(true);
  expect(await send(said, elsewhere)).toBe(400);
  // A counter that does not count on is a copy's.
  expect(await send(key.get(await questionFor(elsewhere, "sign_in")), elsewhere)).toBe(400);
  key.counter++;
  expect(await send(key.get(await questionFor(elsewhere, "sign_in")), elsewhere)).toBe(303);
});

test("a passkey that counts no uses answers a question once, and within five minutes", async () => {
  const person = await createPerson(server.pool);
  await verify(server, person);
  const key = new SoftwareKey(server.origin);
  key.counter = 0;
  await addKey(server, person, key);
  const browser = await openPending(server, person.email);
  const asked = (minutes: number) =>
    server.pool.query(
      "UPDATE session SET challenge_at = now() - make_interval(mins => $2) WHERE user_id = $1 AND challenge IS NOT NULL",
      [person.id, minutes],
    );
  const signIn = async (minutes: number) => {
    const passkey = key.get(await questionFor(browser, "sign_in"));
    await asked(minutes);
    return (await browser.post("/login/second-factor", { passkey })).status;
  };
  expect([await signIn(5), await signIn(4)]).toEqual([400, 303]);

  // In a session that goes on, so that the challenge alone refuses the second.
  const passkey = key.get(await questionFor(browser, "confirm"));
  const confirm = async () => {
    await makeStale(person);
    return (await browser.post("/account/confirm/second-factor", { passkey })).status;
  };
  expect([await confirm(), await confirm()]).toEqual([303, 400]);
});

test("another user's code, passkey and recovery code are wrong", async () => {
  const [ada, ben] = [await withApp(), await withApp()];
  const [code = ""] = await makeRecoveryCodes(server, ben);
  const key = await addKey(server, ben);
  const browser = await openPending(server, ada.email);
  const shown: Record<string, string>[] = [
    { otp: ben.app.code() },
    { otp: code },
    { passkey: key.get(await questionFor(browser, "sign_in")) },
  ];
  for (const fields of shown) expect((await browser.post("/login/second-factor", fields)).status).toBe(400);
});

test("nothing that was typed is sent back", async () => {
  const { email, cookie } = await withApp();
  const [code = ""] = await makeRecoveryCodes(server, { cookie });
  const wrong = `${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`;
  const browser = await openPending(server, email);
  const answer = await browser.post("/login/second-factor", { otp: wrong });
  expect(answer.status).toBe(400);
  expect(await answer.text()).not.toContain(wrong);
});

test("each factor added or removed changes the token, signs out everywhere else and says so", async () => {
  const owner = await createPerson(server.pool);
  await verify(server, owner);
  const elsewhere = async () => {
    const other = await createPerson(server.pool);
    await server.pool.query("UPDATE session SET user_id = $1 WHERE user_id = $2", [owner.id, other.id]);
    return other.cookie;
  };
  const changes = {
    "the first factor": () => setUpApp(server, owner),
    "a passkey": () => addKey(server, owner),
    removing: () => postAs(server, owner, "/account/second-factor", { do: "remove-app" }),
  };
  for (const [what, change] of Object.entries(changes)) {
    const [before, other] = [owner.cookie, await elsewhere()];
    await change();
    const signedIn = await Promise.all([before, other, owner.cookie].map((c) => isSignedIn(server, c)));
    expect([what, ...signedIn]).toEqual([what, false, false, true]);
  }
  const mails = await everyMailTo(server, owner.email);
  expect(
    mails.filter(({ text }) => /Every\s+other\s+device\s+is\s+signed\s+out\./.test(text ?? "")),
  ).toHaveLength(3);
});

test("confirming with the second factor changes the token; a wrong code does not", async () => {
  const owner = await createAppOwner(server);
  await makeStale(owner);
  const [copied, path] = [owner.cookie, "/account/confirm/second-factor"];
  expect((await postForm(server, path, { otp: "000000" }, copied)).headers.getSetCookie()).toEqual([]);
  await forgetCodes(server, owner);
  expect((await postAs(server, owner, path, { otp: owner.app.code() })).status).toBe(303);
  expect(owner.cookie).not.toBe(copied);
  expect(await isSignedIn(server, owner.cookie)).toBe(true);
  expect(await isSignedIn(server, copied)).toBe(false);
});
