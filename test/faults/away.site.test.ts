import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { signTime } from "../../app/contact/fill-time.server.ts";
import { cutDatabase } from "../away.ts";
import { beginAt, chooseAt, openBrowser, signInAt } from "../browser.ts";
import { appPaths, pagePaths } from "../entrances.ts";
import { call, checkoutOf, mainOf, postForm } from "../http.ts";
import { linkIn, mailTo } from "../mail.ts";
import { dataPath, postByRouter, readRouterAnswer } from "../router.ts";
import { setupServer } from "../server.fixture.ts";
import { AUTH_SECRET } from "../server.ts";
import { createSignedInUser } from "../users.ts";

const server = setupServer();

test("while the database refuses all connections: not ready, alive, a designed error; and back by itself", async () => {
  const status = async (path: string) => (await fetch(server.origin + path)).status;
  for (const path of ["/healthz", "/readyz", "/", "/pricing"]) expect(await status(path)).toBe(200);

  const user = await createSignedInUser(server.pool);
  const letBackIn = await cutDatabase(server);
  expect(await status("/readyz")).toBe(503);
  expect(await status("/healthz")).toBe(200);
  for (const path of ["/", "/pricing"]) expect(await status(path), "given out as it was").toBe(200);
  for (const [path, heading] of [
    ["/pricing?billing=annual", "Pricing"],
    ["/subscription?promo=WELCOME", "Choose Your Ownwords Plan"],
  ]) {
    const page = await fetch(server.origin + path, { headers: { cookie: user.cookie } });
    expect([path, page.status]).toEqual([path, 503]);
    const main = await mainOf(page);
    expect(main).toContain(`<h1>${heading}</h1>`);
    expect(main).toContain("Failed to load subscription plans. Please try again later.");
    expect(main).not.toContain("No subscription plans are currently available.");
    if (path?.startsWith("/subscription")) expect(main).toContain('value="WELCOME"');
  }
  expect(await status("/llms.txt")).toBe(503);
  const redeemed = await postForm(server, "/subscription", { form: "promo", code: "WELCOME" }, user.cookie);
  expect(redeemed.status).toBe(503);
  await expectThePromoForm(redeemed, 'value="WELCOME"', "Failed to apply promo code. Please try again.");
  const byRouter = await postByRouter(
    server,
    "/subscription",
    { form: "promo", code: "WELCOME" },
    user.cookie,
  );
  expect([byRouter.status, byRouter.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await readRouterAnswer(byRouter)).toMatchObject({
    data: { result: { error: { code: ["Failed to apply promo code. Please try again."] } } },
  });
  const tested = await postForm(server, "/test-promo", { form: "promo", code: "ONEUSE" }, user.cookie);
  expect(tested.status).toBe(503);
  await expectThePromoForm(tested, 'value="ONEUSE"', "Failed to apply promo code. Please try again.");
  const opened = (path: string) => fetch(server.origin + path, { headers: { cookie: user.cookie } });
  for (const [path, words] of [
    ["/subscription?promo=WELCOME", "Failed to load subscription plans. Please try again later."],
    ["/test-promo?promo=WELCOME", "We couldn’t load your subscription."],
  ] as const) {
    const answer = await opened(path);
    expect(answer.status).toBe(503);
    await expectThePromoForm(answer, 'value="WELCOME"', words);
  }
  const notSignedOut = await postForm(server, "/logout", {}, user.cookie);
  expect([notSignedOut.status, notSignedOut.headers.getSetCookie()]).toEqual([503, []]);
  const trouble = await mainOf(notSignedOut);
  expect(trouble).toMatch(/<h1[^>]*>Failed to sign out<\/h1>/);
  expect(trouble).toMatch(/<form [^>]*action="\/logout" method="post".*Sign Out/s);
  const page = await opened("/account");
  expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
  const text = await page.text();
  expect(text).toContain("Unexpected Application Error!");
  expect(text).toContain("Nothing you saved is lost.");
  const called = await call(server, checkoutOf(server, "price_csv_only_monthly"), user.cookie);
  expect([called.status, called.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await called.json()).error.status).toBe("UNAVAILABLE");

  await letBackIn();
  expect(
    (await postForm(server, "/subscription", { form: "promo", code: "WELCOME" }, user.cookie)).status,
  ).toBe(200);
  expect((await opened("/dashboard")).status, "still signed in").toBe(200);
  const signedOut = await postForm(server, "/logout", {}, user.cookie);
  expect([signedOut.status, signedOut.headers.get("location")]).toEqual([303, "/"]);
  expect(new URL((await opened("/dashboard")).url).pathname).toBe("/login");
  expect(server.child.exitCode).toBeNull();
});

async function expectThePromoForm(answer: Response, ...contents: string[]) {
  const page = await mainOf(answer);
  for (const content of [...contents, "Apply code"]) expect(page).toContain(content);
}

const NONCE = "n".repeat(32);
const QUERY = new URLSearchParams({
  token: "t".repeat(43),
  state: "s".repeat(43),
  nonce: NONCE,
  plan: "prod_csv_only",
});

describe("with the database away", () => {
  const email = `${randomUUID()}@example.com`;
  const password = "correct horse battery";
  let cookie: string;
  let resetLink: string;
  let callback: string;
  let popupCallback: string;
  let restore: () => Promise<void>;
  let browser: ReturnType<typeof openBrowser>;

  beforeAll(async () => {
    cookie = (await createSignedInUser(server.pool)).cookie;
    await postForm(server, "/register", { name: "Ada", email, password });
    await postForm(server, "/forgot-password", { email });
    resetLink = linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password");
    browser = openBrowser(server);
    callback = await chooseAt(browser, await beginAt(browser, "google"), {
      email: `${randomUUID()}@example.com`,
    });
    const start = await browser.get(`/auth/popup/google?nonce=${NONCE}`, { "sec-fetch-site": "same-origin" });
    const asked = start.headers.get("location") ?? "";
    popupCallback = await chooseAt(browser, asked, { email: `${randomUUID()}@example.com` });
    restore = await cutDatabase(server);
  });

  const form = new URLSearchParams({ form: "promo", code: "WELCOME", email });

  test.each(["GET", "POST"])("every route answers %s in words of ours", async (method) => {
    const bare: string[] = [];
    for (const path of appPaths()) {
      for (const session of [{ cookie }, null]) {
        const answer = await fetch(`${server.origin}${path}?${QUERY}`, {
          method,
          redirect: "manual",
          headers: { origin: server.origin, ...session },
          ...(method === "POST" && { body: form }),
        });
        const text = await answer.text();
        if (!isDesigned(answer, text)) bare.push(`${method} ${path}: ${answer.status} ${text.slice(0, 100)}`);
      }
    }
    expect(bare).toEqual([]);
  });

  test.each(["GET", "POST"])("every page answers the router's %s in what it can read", async (method) => {
    const bare: string[] = [];
    for (const path of pagePaths()) {
      for (const session of [{ cookie }, null]) {
        const answer = await fetch(server.origin + dataPath(`${path}?${QUERY}`), {
          method,
          redirect: "manual",
          headers: { origin: server.origin, ...session },
          ...(method === "POST" && { body: form }),
        });
        const isRead = answer.headers.has("x-remix-response");
        const text = await answer.text();
        if (!isRead) bare.push(`${method} ${path}: ${answer.status} ${text.slice(0, 100)}`);
      }
    }
    expect(bare).toEqual([]);
  });

  /** A redirect, a page with the site's frame and one heading, a program's error, or a sentence. */
  function isDesigned({ status, headers }: Response, text: string): boolean {
    if (status >= 300 && status < 400) return headers.has("location");
    const [type] = (headers.get("content-type") ?? "").split(";");
    if (type === "text/html") return /<header.*<h1[^>]*>[^<]+<.*<footer/s.test(text);
    if (status < 400) return true;
    if (type === "application/json") return Boolean(JSON.parse(text).error?.message);
    return type === "text/plain" && text.trim() !== "" && !text.includes("Unexpected Server Error");
  }

  test.each([
    ["/login?return_to=/test-promo", { email, password, return_to: "/test-promo" }, "Failed to sign in"],
    [
      "/register?return_to=/test-promo",
      { name: "Ada", email, password, return_to: "/test-promo" },
      "Failed to sign up",
    ],
    ["/forgot-password", { email }, "Failed to send password reset email"],
    [
      "/contact",
      { name: "Ada", email, topic: "idea", message: "Are there cats?" },
      "Your message has not been sent yet",
    ],
    ["/waitlist", { email, name: "Ada" }, "You are not on the list yet"],
  ])("without JavaScript, %s keeps what was typed and says what failed", async (path, fields, words) => {
    const sent =
      path === "/contact" ? { ...fields, opened_at: signTime(Date.now() - 60_000, AUTH_SECRET) } : fields;
    // With a session cookie the session is looked up as well.
    for (const session of [undefined, cookie]) {
      const answer = await postForm(server, path, sent, session);
      expect(answer.status).toBeGreaterThanOrEqual(500);
      const page = await mainOf(answer);
      expect(page).toContain(words);
      expect(page).toMatch(/Something broke on our side\.|We couldn’t save/);
      for (const [name, value] of Object.entries(fields)) {
        if (name === "password") expect(page).not.toContain(value);
        else expect(page).toContain(value);
      }
    }
  });

  test.each(["true", "false"])(
    "a new password is asked for again, and whether to disconnect stays %s",
    async (disconnects) => {
      const answer = await postForm(server, resetLink, { password: "lantern pickle ocean 12", disconnects });
      expect(answer.status).toBeGreaterThanOrEqual(500);
      const page = await mainOf(answer);
      expect(page).toContain("Your password wasn’t changed");
      expect(page).toContain(`name="disconnects" value="${disconnects}"`);
      expect(page).not.toContain("lantern");
    },
  );

  test.each(["google", "facebook"] as const)("%s fails in words, where it was begun", async (provider) => {
    const failed = `Failed to sign in with ${provider === "google" ? "Google" : "Facebook"}`;
    const window = await browser.get(`/auth/popup/${provider}?nonce=${NONCE}&return_to=/test-promo`);
    const done = window.headers.get("location") ?? "";
    const told = {
      nonce: NONCE,
      provider,
      intent: "sign_in",
      return_to: "/test-promo",
      error: "internal-error",
    };
    expect(done).toBe(`/auth/popup/done?${new URLSearchParams(told)}`);
    expect(await mainOf(await browser.get(done))).toContain(failed);

    const form = await browser.post(`/auth/start/${provider}`, { return_to: "/test-promo" });
    const page = form.headers.get("location") ?? "";
    expect(page).toMatch(/^\/login\?.*error=internal-error&return_to=%2Ftest-promo$/);
    for (const session of [undefined, cookie]) {
      const login = await mainOf(await openBrowser(server, session).get(page));
      expect(login).toContain(failed);
      expect(login).toContain("Something broke on our side.");
      expect(login).toContain('value="/test-promo"');
    }

    const connecting = await openBrowser(server, cookie).post(`/auth/start/${provider}`, {
      intent: "connect",
      return_to: "/account/connections",
    });
    const end = await mainOf(await browser.get(connecting.headers.get("location") ?? ""));
    expect(end).toContain(failed);
    expect(end).not.toContain("You can close this window");
  });

  test("coming back from a provider fails in words, in a popup and without; nobody is signed in", async () => {
    const back = await browser.get(popupCallback);
    expect(back.headers.get("cross-origin-opener-policy")).toBe("unsafe-none");
    const done = new URL(back.headers.get("location") ?? "", server.origin);
    expect([done.pathname, done.searchParams.get("nonce"), done.searchParams.get("error")]).toEqual([
      "/auth/popup/done",
      NONCE,
      "internal-error",
    ]);
    expect(await mainOf(await browser.get(done.pathname + done.search))).toContain(
      "You can close this window",
    );
    expect((await browser.get(callback)).headers.get("location")).toBe(
      "/login?provider=google&error=internal-error&return_to=%2Fdashboard",
    );
    expect(browser.cookies.has("session")).toBe(false);
  });

  test("and once it is back the same address signs in", async () => {
    await restore();
    expect((await browser.get(popupCallback)).headers.get("location")).toMatch(
      /^\/auth\/popup\/done\?(?!.*error)/,
    );
    expect((await browser.get("/dashboard")).status).toBe(200);
    const another = { email: `${randomUUID()}@example.com` };
    expect((await signInAt(openBrowser(server), "facebook", another)).headers.get("location")).toBe(
      "/dashboard#top",
    );
    expect((await postForm(server, resetLink, { password: "lantern pickle ocean 12" })).status).toBe(303);
  });
});
