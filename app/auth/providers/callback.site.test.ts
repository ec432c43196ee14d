import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { beginAt, chooseAt, endOf, openBrowser, signInAt, turnKnobs } from "../../../test/browser.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { providersOn, someone } from "./people.fixture.ts";
import { PROVIDERS } from "./providers.ts";
import { reasonOf } from "./sign-in-errors.ts";

const server = sharedServer();

const { expectRefused } = providersOn(server);

afterEach(() => turnKnobs(server, { reset: true }));

test.each(PROVIDERS)(
  "%s, a form without JavaScript: there, back, and signed in where one was going",
  async (provider) => {
    const browser = openBrowser(server);
    const answer = await signInAt(browser, provider, someone(), { return_to: "/subscription?promo=WELCOME" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/subscription?promo=WELCOME${endOf(provider)}`,
    ]);
    const dashboard = await browser.get("/dashboard");
    expect(dashboard.status).toBe(200);
    const [cookie] = (await openBrowser(server).post(`/auth/start/${provider}`, {})).headers.getSetCookie();
    expect(cookie).toMatch(/^sign-in-browser=\w{60}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
  },
);

test("Google's word for an address that it does not keep is not taken", async () => {
  await turnKnobs(server, { hosted_domain: false });
  const emails = { elsewhere: someone().email, own: `${randomUUID()}@gmail.com` };
  for (const email of Object.values(emails)) await signInAt(openBrowser(server), "google", { email });
  const { rows } = await server.pool.query(
    `SELECT email, email_verified FROM "user" WHERE email = ANY($1) ORDER BY email_verified`,
    [Object.values(emails)],
  );
  expect(rows).toEqual([
    { email: emails.elsewhere.toLowerCase(), email_verified: false },
    { email: emails.own, email_verified: true },
  ]);
});

test("a way back that leads away is not taken", async () => {
  for (const return_to of ["https://evil.example", "//evil.example", "/\\evil.example"]) {
    const answer = await signInAt(openBrowser(server), "google", someone(), { return_to });
    expect(answer.headers.get("location")).toBe("/dashboard");
  }
});

test("Google is asked for profile and email, and to let people choose; the rest cannot be guessed", async () => {
  const url = new URL(await beginAt(openBrowser(server), "google"));
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: "sandbox-google",
    response_type: "code",
    scope: "openid profile email",
    prompt: "select_account",
    redirect_uri: `${server.origin}/auth/callback/google`,
    code_challenge_method: "S256",
  });
  for (const secret of ["state", "nonce", "code_challenge"])
    expect(url.searchParams.get(secret)).toMatch(/^[\w-]{43}$/);
  const facebook = new URL(await beginAt(openBrowser(server), "facebook"));
  expect(facebook.searchParams.get("scope")).toBe("public_profile email");
});

describe("a state", () => {
  test("used a second time is refused", async () => {
    const browser = openBrowser(server);
    const callback = await chooseAt(browser, await beginAt(browser, "google"), someone());
    await browser.get(callback);
    browser.cookies.delete("session");
    await expectRefused(browser, await browser.get(callback), "google", "flow-expired");
  });

  test("that has expired is refused", async () => {
    const browser = openBrowser(server);
    const callback = await chooseAt(browser, await beginAt(browser, "google"), someone());
    await server.pool.query("UPDATE provider_flows SET expires_at = now() WHERE used_at IS NULL");
    await expectRefused(browser, await browser.get(callback), "google", "flow-expired");
  });

  test("of another provider is refused", async () => {
    const browser = openBrowser(server);
    const callback = await chooseAt(browser, await beginAt(browser, "google"), someone());
    const elsewhere = callback.replace("/auth/callback/google", "/auth/callback/facebook");
    await expectRefused(browser, await browser.get(elsewhere), "facebook", "flow-expired");
    // And was not used up by it.
    expect((await browser.get(callback)).headers.get("location")).toBe("/dashboard");
  });

  test("of another browser is refused, and still good in its own", async () => {
    const [mine, theirs] = [openBrowser(server), openBrowser(server)];
    await beginAt(theirs, "google");
    const callback = await chooseAt(mine, await beginAt(mine, "google"), someone());
    await expectRefused(theirs, await theirs.get(callback), "google", "flow-expired");
    expect((await mine.get(callback)).headers.get("location")).toBe("/dashboard");
  });

  test("in a browser that keeps no cookies is refused with that reason", async () => {
    const browser = openBrowser(server);
    const callback = await chooseAt(browser, await beginAt(browser, "google"), someone());
    browser.cookies.clear();
    await expectRefused(browser, await browser.get(callback), "google", "web-storage-unsupported");
  });

  test.each(["", "?state=made-up&code=made-up", "?error=access_denied"])(
    "that nobody began is refused: %s",
    async (query) => {
      const browser = openBrowser(server);
      await beginAt(browser, "google");
      await expectRefused(
        browser,
        await browser.get(`/auth/callback/google${query}`),
        "google",
        "flow-expired",
      );
    },
  );

  test("two begun side by side in one browser both end well", async () => {
    const browser = openBrowser(server);
    const first = await chooseAt(browser, await beginAt(browser, "google"), someone());
    const second = await chooseAt(browser, await beginAt(browser, "facebook"), someone());
    for (const callback of [first, second]) {
      expect((await browser.get(callback)).headers.get("location")).toMatch(/^\/dashboard(#top)?$/);
    }
  });
});

test("under a name of the site that is not authorised nothing begins", async () => {
  const origin = `http://127.0.0.1:${server.port}`;
  const answer = await fetch(`${origin}/auth/start/google`, {
    method: "POST",
    redirect: "manual",
    headers: { origin, "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ return_to: "/dashboard" }),
  });
  expect(answer.headers.get("location")).toBe(
    "/login?provider=google&error=unauthorized-domain&return_to=%2Fdashboard",
  );
});

test("a code that is none of ours says nothing on the page", async () => {
  for (const query of [
    "provider=google&error=made-up",
    "provider=constructor&error=toString",
    "error=user-mismatch",
  ]) {
    expect(await (await openBrowser(server).get(`/login?${query}`)).text()).not.toContain('role="alert"');
  }
  const register = await openBrowser(server).get("/register?provider=facebook&error=access-denied");
  expect(await register.text()).toContain(reasonOf("facebook", "access-denied"));
});
