import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { breakStatements } from "../../../test/away.ts";
import { type Browser, beginAt, chooseAt, openBrowser, signInAt, turnKnobs } from "../../../test/browser.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createSignedInUsers } from "../../../test/users.ts";
import { PROVIDERS, type Provider } from "./providers.ts";
import { reasonOf, type SignInError } from "./sign-in-errors.ts";

const server = sharedServer();

afterEach(() => turnKnobs(server, { reset: true }));

test.each(PROVIDERS)(
  "%s, a form without JavaScript: there, back, and signed in where one was going",
  async (provider) => {
    const browser = openBrowser(server);
    const answer = await signInAt(browser, provider, someone(), { return_to: "/subscription?promo=WELCOME" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/subscription?promo=WELCOME"]);
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
      expect((await browser.get(callback)).headers.get("location")).toBe("/dashboard");
    }
  });
});

describe("an ID token", () => {
  test.each([
    { nonce: "wrong" },
    { nonce: "missing" },
    { audience: "wrong" },
    { issuer: "wrong" },
    { alg: "none" },
    { alg: "HS256" },
    { alg: "HS256_secret" },
    { alg: "unknown_key" },
    { expired: true },
  ])("with %o is refused: no session, no user", async (knobs) => {
    await turnKnobs(server, knobs);
    const browser = openBrowser(server);
    const person = someone();
    const answer = await signInAt(browser, "google", person);
    await expectRefused(browser, answer, "google", "identity-unproven");
    expect(await countUsers(person.email)).toBe(0);
  });
});

describe.each(PROVIDERS)("when %s", (provider) => {
  test.each<[string, object, SignInError]>([
    ["is told no", { denial: true }, "access-denied"],
    ["does not know our client id", { authorize_error: "unauthorized_client" }, "invalid-api-key"],
    ["does not take our secret", { token: "invalid_client" }, "invalid-api-key"],
    ["does not take the code", { token: "invalid_grant" }, "provider-refused"],
    ["refuses for a reason of its own", { authorize_error: "invalid_scope" }, "provider-refused"],
    ["is unwell and says so", { authorize_error: "temporarily_unavailable" }, "network-request-failed"],
    ["is broken", { token: "500" }, "network-request-failed"],
    ["answers with what is no answer", { token: "garbage" }, "network-request-failed"],
  ])("%s: %o", async (_, knobs, error) => {
    await turnKnobs(server, knobs);
    await expectFailure(provider, error);
  });
});

test("when Google or Facebook says nothing for ten seconds, it is away", async () => {
  await turnKnobs(server, { token: "hang" });
  await Promise.all(PROVIDERS.map((provider) => expectFailure(provider, "network-request-failed")));
});

async function expectFailure(provider: Provider, error: SignInError): Promise<void> {
  const browser = openBrowser(server);
  const url = await beginAt(browser, provider);
  // Some of the knobs send the browser back before there is a page to choose on.
  const sentBack = (await browser.get(url)).headers.get("location");
  const person = someone();
  const callback = sentBack ?? (await chooseAt(browser, url, person));
  await expectRefused(browser, await browser.get(callback), provider, error);
  expect(await countUsers(person.email)).toBe(0);
}

describe("the popup", () => {
  const nonce = () => randomUUID();
  const popupPath = (nonce: string, provider = "google", intent = "sign_in") =>
    `/auth/popup/${provider}?${new URLSearchParams({ nonce, intent, return_to: "/dashboard" })}`;
  const OURS = { "sec-fetch-site": "same-origin" };

  test("keeps its opener all the way, and tells how it ended to the browser that began", async () => {
    const browser = openBrowser(server);
    const id = nonce();
    const began = await browser.get(popupPath(id), OURS);
    expect(began.status).toBe(302);
    expect(await outcomeOf(browser, id)).toBeNull();
    const callback = await chooseAt(browser, began.headers.get("location") ?? "", someone());
    const back = await browser.get(callback);
    const done = await browser.get(back.headers.get("location") ?? "");
    for (const answer of [began, back, done])
      expect(answer.headers.get("cross-origin-opener-policy")).toBe("unsafe-none");
    expect(back.headers.get("location")).toBe(
      `/auth/popup/done?nonce=${id}&provider=google&intent=sign_in&return_to=%2Fdashboard`,
    );
    expect(await done.text()).toContain("You can close this window");
    expect(await outcomeOf(browser, id)).toBe("ok");
    expect(await outcomeOf(openBrowser(server), id)).toBeNull();
    // Whose cookie is still on its way would be sent back to the sign-in page.
    browser.cookies.delete("session");
    expect(await outcomeOf(browser, id)).toBeNull();
  });

  test("tells what went wrong in the same ways", async () => {
    await turnKnobs(server, { denial: true });
    const browser = openBrowser(server);
    const id = nonce();
    const began = await browser.get(popupPath(id, "facebook"), OURS);
    const sentBack = await browser.get(began.headers.get("location") ?? "");
    const back = await browser.get(sentBack.headers.get("location") ?? "");
    expect(back.headers.get("location")).toBe(
      `/auth/popup/done?nonce=${id}&provider=facebook&intent=sign_in&return_to=%2Fdashboard&error=access-denied`,
    );
    const page = await (await browser.get(back.headers.get("location") ?? "")).text();
    expect(page).toContain("Failed to sign in with Facebook");
    expect(page).toContain(reasonOf("facebook", "access-denied"));
    expect(await outcomeOf(browser, id)).toBe("access-denied");
  });

  test.each([
    ["provider=google&intent=sign_in&return_to=/test-promo", "/test-promo"],
    ["provider=google&intent=connect", "/account"],
    ["provider=google&intent=sign_in&return_to=//evil.example", "/dashboard"],
    [
      "provider=google&intent=sign_in&return_to=/test-promo&error=access-denied",
      "/login?provider=google&error=access-denied&return_to=%2Ftest-promo",
    ],
    [
      "provider=google&intent=connect&return_to=/account/connections%3Fconnected%3Dgoogle&error=identity-taken",
      "/account/connections?connected=google&provider=google&error=identity-taken",
    ],
    [
      "provider=google&intent=confirm&return_to=/account/email&error=user-mismatch",
      "/account/confirm?provider=google&error=user-mismatch&return_to=%2Faccount%2Femail",
    ],
  ])("left open with %s, it leads on to %s", async (query, next) => {
    const page = await (await openBrowser(server).get(`/auth/popup/done?nonce=${nonce()}&${query}`)).text();
    expect(page).toContain(`href="${next.replaceAll("&", "&amp;")}"`);
  });

  test("loaded anew begins anew; another browser cannot take its name", async () => {
    const browser = openBrowser(server);
    const id = nonce();
    await browser.get(popupPath(id), OURS);
    const again = await browser.get(popupPath(id), OURS);
    expect(again.headers.get("location")).toContain("/sandbox/identity/google/authorize?");
    const stranger = await openBrowser(server).get(popupPath(id), OURS);
    expect(stranger.headers.get("location")).toContain("error=flow-expired");
  });

  test("to change an account is begun by our own pages alone", async () => {
    const [user] = await createSignedInUsers(server.pool, 1);
    await server.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [user?.id]);
    const begin = (headers: Record<string, string>) =>
      openBrowser(server, user?.cookie).get(popupPath(nonce(), "google", "connect"), headers);
    for (const site of ["cross-site", "same-site", "none"])
      expect((await begin({ "sec-fetch-site": site })).headers.get("location")).toBe("/login");
    const old = await begin({ referer: `${server.origin}/account` });
    expect(old.headers.get("location")).toContain("/sandbox/identity/google/authorize?");
    const older = await begin({ referer: "https://evil.example/" });
    expect(older.headers.get("location")).toBe("/login");
  });

  test("without a nonce ends where a form would", async () => {
    const browser = openBrowser(server);
    const begun = await browser.get("/auth/popup/google?return_to=/test-promo");
    const url = begun.headers.get("location") ?? "";
    const back = await browser.get(await chooseAt(browser, url, { email: "ada@example.com" }));
    expect(back.headers.get("location")).toBe("/test-promo");
  });

  test("to connect needs somebody signed in", async () => {
    const id = nonce();
    const answer = await openBrowser(server).get(popupPath(id, "google", "connect"), OURS);
    expect(answer.headers.get("location")).toBe(
      `/auth/popup/done?nonce=${id}&provider=google&intent=connect&return_to=%2Fdashboard&error=signed-out`,
    );
  });

  test.each(["/auth/popup/twitter", "/auth/popup/google?intent=rule", "/auth/popup/google?nonce=short"])(
    "%s is not there",
    async (path) => {
      expect((await openBrowser(server).get(path, OURS)).status).toBe(404);
    },
  );

  async function outcomeOf(browser: Browser, nonce: string): Promise<string | null> {
    const { outcome } = await (await browser.get(`/auth/popup/outcome?nonce=${nonce}`)).json();
    return outcome;
  }
});

describe("when something of ours breaks on the way back", () => {
  /** What somebody sees who comes back while it is broken: where they are led, and whether they are in. */
  async function comeBackBroken(statement: string, condition?: string) {
    const browser = openBrowser(server);
    const person = someone();
    const callback = await chooseAt(browser, await beginAt(browser, "google"), person);
    const mend = await breakStatements(server, statement, condition);
    const answer = await browser.get(callback);
    await mend();
    return { browser, person, answer };
  }

  test.each([
    ["the account cannot be made", 'INSERT ON "user"'],
    ["the session cannot be opened", "INSERT ON session"],
  ])("%s: nobody is in, and starting again works", async (_what, statement) => {
    const { browser, person, answer } = await comeBackBroken(statement);
    await expectRefused(browser, answer, "google", "internal-error");
    await signInAt(browser, "google", person);
    expect((await browser.get("/dashboard")).status).toBe(200);
    expect(await countUsers(person.email)).toBe(1);
  });

  test("that they are in cannot be noted: they are in", async () => {
    const { browser, answer } = await comeBackBroken("UPDATE OF outcome ON provider_flows");
    expect(answer.headers.get("location")).toBe("/dashboard");
    expect((await browser.get("/dashboard")).status).toBe(200);
  });

  test("the flow cannot be used up: it is still good", async () => {
    const browser = openBrowser(server);
    const callback = await chooseAt(browser, await beginAt(browser, "google"), someone());
    const mend = await breakStatements(server, "UPDATE ON provider_flows");
    await expectRefused(browser, await browser.get(callback), "google", "internal-error");
    await mend();
    expect((await browser.get(callback)).headers.get("location")).toBe("/dashboard");
  });

  test("an opener who asks hears of it", async () => {
    const browser = openBrowser(server);
    const nonce = randomUUID();
    const ask = async () => (await browser.get(`/auth/popup/outcome?nonce=${nonce}`)).json();
    expect(await ask()).toEqual({ outcome: null, hasBegun: false });
    const window = await browser.get(`/auth/popup/google?nonce=${nonce}`);
    expect(await ask()).toEqual({ outcome: null, hasBegun: true });
    const callback = await chooseAt(browser, window.headers.get("location") ?? "", someone());
    const mend = await breakStatements(server, 'INSERT ON "user"');
    await browser.get(callback);
    await mend();
    expect(await ask()).toEqual({ outcome: "internal-error", hasBegun: true });
  });
});

test("under a name of the site that is not authorised nothing begins", async () => {
  const answer = await openBrowser(server).post(
    "/auth/start/google",
    { return_to: "/dashboard" },
    { origin: `http://127.0.0.1:${server.port}`, "sec-fetch-site": "same-origin" },
  );
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

function someone() {
  return { email: `${randomUUID()}@example.com` };
}

async function countUsers(email: string): Promise<number> {
  return (await server.pool.query(`SELECT FROM "user" WHERE email = $1`, [email])).rowCount ?? 0;
}

/** Nobody is signed in, and the page says why. */
async function expectRefused(browser: Browser, answer: Response, provider: Provider, error: SignInError) {
  const page = answer.headers.get("location") ?? "";
  expect(page).toBe(`/login?${new URLSearchParams({ provider, error, return_to: "/dashboard" })}`);
  expect(browser.cookies.has("session")).toBe(false);
  const text = (await (await browser.get(page)).text()).replaceAll("&#x27;", "'");
  expect(text).toContain(reasonOf(provider, error));
}
