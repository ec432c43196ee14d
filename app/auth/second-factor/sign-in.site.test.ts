import { expect, test } from "vitest";
import { chooseAt, openBrowser, signInAt } from "../../../test/browser.ts";
import { call, cookieOf, mainOf, postForm } from "../../../test/http.ts";
import { linkIn, mailTo } from "../../../test/mail.ts";
import {
  cookiesOf,
  countSessions,
  createAppOwner,
  forgetCodes,
  makeRecoveryCodes,
  openPending,
} from "../../../test/second-factor.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { callAs, fetchToken } from "../../../test/tokens.ts";
import { createPerson, get, isSignedIn, PASSWORD } from "../../../test/users.ts";

const server = sharedServer();

const withApp = () => createAppOwner(server);

test("the password alone opens no session; the code does, and leads on to the page asked for", async () => {
  const { id, email, app } = await withApp();
  const browser = await openPending(server, email, "/account");
  expect(await countSessions(server, id)).toEqual({ waiting: 1, open: 1 });
  expect([...browser.cookies.keys()]).toEqual(["second-factor"]);
  const page = await browser.get("/login/second-factor?return_to=/account");
  expect(page.status).toBe(200);
  expect(await mainOf(page)).toContain("One more step");

  const waiting = browser.cookies.get("second-factor");
  const done = await browser.post("/login/second-factor?return_to=/account", { otp: app.code() });
  expect([done.status, done.headers.get("location")]).toEqual([303, "/account"]);
  expect(browser.cookies.get("second-factor")).toBe("");
  expect(await isSignedIn(server, cookiesOf(browser))).toBe(true);
  expect(await countSessions(server, id)).toEqual({ waiting: 0, open: 2 });
  // The token of the unfinished sign-in opens nothing any more.
  expect(browser.cookies.get("session")).not.toBe(waiting);
  expect(await isSignedIn(server, `session=${waiting}`)).toBe(false);
});

test("a session that waits is none anywhere, under whatever cookie its token comes", async () => {
  const { email } = await withApp();
  const browser = await openPending(server, email);
  const token = browser.cookies.get("second-factor") ?? "";
  const cookie = `session=${token}; second-factor=${token}`;
  for (const path of [
    "/dashboard",
    "/account",
    "/account/second-factor",
    "/account/export",
    "/subscription",
  ]) {
    const answer = await get(server, path, cookie);
    expect([path, answer.status, answer.headers.get("location")?.split("?")[0]]).toEqual([
      path,
      expect.toSatisfy((status: number) => status === 302 || status === 303),
      "/login",
    ]);
  }
  expect((await call(server, { price: "price_csv_only_yearly" }, cookie)).status).toBe(401);
  expect((await get(server, "/api/token", cookie)).status).toBe(401);
  expect((await callAs(server, "/v1/accounts:update", {}, { cookie })).status).toBe(401);
  const redeemed = await postForm(server, "/test-promo", { form: "promo", code: "WELCOME" }, cookie);
  expect(redeemed.status).toBe(401);
  expect(await mainOf(redeemed)).toContain("User must be logged in to apply a promo code");
});

test("a token of ours dies when its session waits", async () => {
  const person = await withApp();
  const token = await fetchToken(server, person.cookie);
  const headers = { authorization: `Bearer ${token}` };
  expect((await callAs(server, "/v1/accounts:update", {}, headers)).status).toBe(200);
  await server.pool.query("UPDATE session SET needs_second_factor = true WHERE user_id = $1", [person.id]);
  expect((await callAs(server, "/v1/accounts:update", {}, headers)).status).toBe(401);
  await server.pool.query("DELETE FROM session WHERE user_id = $1", [person.id]);
});

test("a new password ends sign-ins that wait with the old one", async () => {
  const { id, email, cookie, app } = await withApp();
  const browser = await openPending(server, email);
  const changed = { current_password: PASSWORD, password: "lantern pickle ocean 12" };
  expect((await postForm(server, "/account/password", changed, cookie)).status).toBe(303);
  const late = await browser.post("/login/second-factor", { otp: app.code() });
  expect(late.headers.get("location")).toContain("/login?");
  expect(await countSessions(server, id)).toEqual({ waiting: 0, open: 1 });
});

test("a new password by mail leads to the second step, and removes nothing", async () => {
  const { id, email, app } = await withApp();
  await postForm(server, "/forgot-password", { email });
  const link = linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password");
  const browser = openBrowser(server);
  const done = await browser.post(link, { password: "lantern pickle ocean 12" });
  expect(done.headers.get("location")).toBe("/login/second-factor?return_to=%2Fdashboard");
  expect(await countSessions(server, id)).toEqual({ waiting: 1, open: 0 });
  expect(await isSignedIn(server, cookiesOf(browser))).toBe(false);
  expect((await browser.post("/login/second-factor", { otp: app.code() })).status).toBe(303);
});

test("signing up with a known address and its password leads there as well", async () => {
  const { email } = await withApp();
  const answer = await postForm(server, "/register", { name: "Ada", email, password: PASSWORD });
  expect(answer.headers.get("location")).toContain("/login/second-factor");
  expect(cookieOf(answer)).toMatch(/^second-factor=/);
});

test("a provider leads there, and a popup says so to the page that opened it", async () => {
  const { email, app } = await withApp();
  const form = openBrowser(server);
  const back = await signInAt(form, "google", { email }, { return_to: "/account" });
  expect(back.headers.get("location")).toBe("/login/second-factor?return_to=%2Faccount");
  expect(form.cookies.has("session")).toBe(false);
  expect((await form.post("/login/second-factor?return_to=/account", { otp: app.code() })).status).toBe(303);
  expect(await isSignedIn(server, cookiesOf(form))).toBe(true);

  const popup = openBrowser(server);
  const start = await popup.get("/auth/popup/google?nonce=aaaabbbbccccdddd&return_to=/account");
  const url = await chooseAt(popup, start.headers.get("location") ?? "", { email });
  const asked = async (cookie: string) =>
    (await get(server, "/auth/popup/outcome?nonce=aaaabbbbccccdddd", cookie)).json();
  const inPopup = cookiesOf(popup);
  const done = await popup.get(url);
  const next = new URL(done.headers.get("location") ?? "", server.origin);
  expect([next.pathname, next.searchParams.get("error")]).toEqual(["/auth/popup/done", "second-factor"]);
  expect(await (await popup.get(next.pathname + next.search)).text()).toContain("One more step");
  // Until the cookie has arrived, its opener would be sent back to the first step.
  expect(await asked(inPopup)).toEqual({ outcome: null, hasBegun: true });
  expect(await asked(cookiesOf(popup))).toEqual({ outcome: "second-factor", hasBegun: true });
});

test("a session of another user stays until the second step is done", async () => {
  const [ada, ben] = [await withApp(), await createPerson(server.pool)];
  const browser = openBrowser(server, ben.cookie);
  await browser.post("/login", { email: ada.email, password: PASSWORD });
  expect(await isSignedIn(server, cookiesOf(browser))).toBe(true);
  expect((await browser.get("/login/second-factor")).status).toBe(200);
  await browser.post("/login/second-factor", { otp: ada.app.code() });
  expect(await isSignedIn(server, ben.cookie)).toBe(false);
  const account = await (await browser.get("/account")).text();
  // Written so that it can break after the @.
  expect(account.replaceAll("<wbr/>", "")).toContain(ada.email);
});

test("without a sign-in that waits, the page leads to the first step, or on", async () => {
  const person = await createPerson(server.pool);
  const signedOut = await get(server, "/login/second-factor?return_to=/account");
  expect(signedOut.headers.get("location")).toBe("/login?return_to=%2Faccount");
  const signedIn = await get(server, "/login/second-factor?return_to=/account", person.cookie);
  expect(signedIn.headers.get("location")).toBe("/account");
  const away = await get(server, "/login/second-factor?return_to=//evil.example", person.cookie);
  expect(away.headers.get("location")).toBe("/dashboard");
});

test("codes count in the digits of any script, and with what is invisible between them", async () => {
  const person = await withApp();
  const [recovery = ""] = await makeRecoveryCodes(server, person);
  const arabic = (code: string) => code.replaceAll(/\d/g, (digit) => "٠١٢٣٤٥٦٧٨٩"[Number(digit)] ?? "");
  for (const type of [
    () => arabic(person.app.code()),
    () => `\u202a${person.app.code().replace(/(...)/, "$1\u00a0\u200b")}\u202c`,
    () => person.app.code().replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    () => arabic(recovery).replaceAll("-", "\u2013\u2060"),
  ]) {
    await forgetCodes(server, person);
    const browser = await openPending(server, person.email);
    const done = await browser.post("/login/second-factor", { otp: type() });
    expect(done.status).toBe(303);
  }
});
