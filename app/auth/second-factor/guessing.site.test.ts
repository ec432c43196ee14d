import { expect, test } from "vitest";
import { asClient } from "../../../test/http.ts";
import { mailTo } from "../../../test/mail.ts";
import {
  addKey,
  createAppOwner,
  forgetCodes,
  makeRecoveryCodes,
  openPending,
  questionFor,
} from "../../../test/second-factor.ts";
import { sharedServer } from "../../../test/server.fixture.ts";

const server = sharedServer();
const PATH = "/login/second-factor";

/** What was counted of wrong codes, and of tries by client, is so much longer ago. */
const pass = (minutes: number) =>
  server.pool.query(
    `UPDATE rate_limits SET hits = ARRAY(SELECT hit - make_interval(mins => $1) FROM unnest(hits) AS hit ORDER BY hit)
     WHERE key ~ '^(app_code_failures|second_factor)_by_'`,
    [minutes],
  );

test("guesses at codes by an attacker with the password cost the owner nothing but a notice", async () => {
  const owner = await createAppOwner(server);
  const { email, app } = owner;
  const [first = "", second = ""] = await makeRecoveryCodes(server, owner);
  const key = await addKey(server, owner);
  const show = async (fields: Record<string, string>, client = asClient()) =>
    (await (await openPending(server, email)).post(PATH, fields, client)).status;
  // Their own network, by a code that was right.
  const home = asClient();
  expect(await show({ otp: app.code() }, home)).toBe(303);
  await forgetCodes(server, owner);

  const thief = await openPending(server, email);
  const wrong = app.code() === "000000" ? "000001" : "000000";
  const guess = async (count: number) => {
    const guesses = Array.from({ length: count }, () => thief.post(PATH, { otp: wrong }, asClient()));
    return new Set((await Promise.all(guesses)).map(({ status }) => status));
  };
  expect(await guess(60)).toEqual(new Set([400]));
  await mailTo(server, email, /^Someone may know your password$/);
  expect(await show({ otp: app.code() })).toBe(303);
  expect(await show({ otp: first.toUpperCase() })).toBe(303);
  const browser = await openPending(server, email);
  const passkey = key.get(await questionFor(browser, "sign_in"));
  expect((await browser.post(PATH, { passkey })).status).toBe(303);

  // A hundred a day are the limit of codes that can be guessed, but not where the owner has been before.
  await forgetCodes(server, owner);
  expect(await guess(40)).toEqual(new Set([400]));
  expect(await guess(1)).toEqual(new Set([429]));
  expect(await show({ otp: app.code() })).toBe(429);
  expect(await show({ otp: app.code() }, home)).toBe(303);
  expect(await show({ otp: second })).toBe(303);

  // Until the day is over, and not longer.
  await forgetCodes(server, owner);
  await pass(23 * 60 + 50);
  expect(await show({ otp: app.code() })).toBe(429);
  await pass(15);
  expect(await show({ otp: app.code() })).toBe(303);
});

test("from one network fifty codes may be wrong in a day, however slowly they are tried", async () => {
  const owner = await createAppOwner(server);
  const client = asClient();
  const browser = await openPending(server, owner.email);
  const wrong = owner.app.code() === "000000" ? "000001" : "000000";
  const guess = async (otp: string) => (await browser.post(PATH, { otp }, client)).status;
  for (let quarter = 0; quarter < 5; quarter++) {
    for (let tries = 0; tries < 10; tries++) expect(await guess(wrong)).toBe(400);
    await pass(16);
  }
  expect(await guess(owner.app.code())).toBe(429);
  await pass(22 * 60);
  expect(await guess(owner.app.code())).toBe(429);
  await pass(2 * 60 + 1);
  expect(await guess(owner.app.code())).toBe(303);
});

test("from one network ten codes may be wrong, and even there a passkey or a recovery code lets the owner in", async () => {
  const owner = await createAppOwner(server);
  const [code = ""] = await makeRecoveryCodes(server, owner);
  const client = asClient();
  const browser = await openPending(server, owner.email);
  const wrong = owner.app.code() === "000000" ? "000001" : "000000";
  const guess = (count: number) =>
    Promise.all(Array.from({ length: count }, () => browser.post(PATH, { otp: wrong }, client)));
  for (const { status } of await guess(10)) expect(status).toBe(400);
  const refused = await browser.post(PATH, { otp: owner.app.code() }, client);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(600);
  await guess(30);
  expect((await browser.post(PATH, { otp: code }, client)).status).toBe(303);
});
