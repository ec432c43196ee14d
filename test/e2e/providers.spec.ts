import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { breakStatements, cutDatabase } from "../away.ts";
import { turnKnobs } from "../browser.ts";
import { mailTo } from "../mail.ts";
import { expect, test } from "./fixtures.ts";

// Each worker has a server, and so a sandbox, of its own: nobody else's sign-ins feel the knobs.
test.afterEach(({ server }) => turnKnobs(server, { reset: true }));

const PERSON = { google: "Ada Lovelace", facebook: "Grace Hopper" };

function press(page: Page, name: string) {
  return page.getByRole("main").getByRole("button", { name, exact: true }).click();
}

/** Presses the button of a provider. @returns the window it opens */
async function openPopup(page: Page, name: "Google" | "Facebook"): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent("popup"), press(page, `Continue with ${name}`)]);
  await expect(popup.getByRole("heading", { name: "Choose an account" })).toBeVisible();
  return popup;
}

async function chooseAnother(page: Page, email: string) {
  await page.getByLabel("Another email address").fill(email);
  await page.getByRole("button", { name: "Continue", exact: true }).click();
}

/** What went wrong, and its code. */
async function expectFailure(page: Page, code: string, text: string | RegExp) {
  await expect(page.locator(`[data-code="${code}"]`)).toHaveText(text);
}

for (const [provider, name] of [
  ["google", "Google"],
  ["facebook", "Facebook"],
] as const) {
  test(`${name} in a popup: 500×600, chosen, closed, and the page goes on signed in`, async ({
    page,
    open,
  }) => {
    await open("/login?return_to=/subscription%3Fpromo%3DWELCOME");
    const popup = await openPopup(page, name);
    expect(await popup.evaluate(() => [window.innerWidth, window.innerHeight, window.name])).toEqual([
      500,
      600,
      `sign-in-${provider}`,
    ]);
    await expect(page.getByText(`Go on in the ${name} window.`)).toBeVisible();
    const closed = popup.waitForEvent("close");
    await popup.getByRole("button", { name: PERSON[provider] }).click();
    await closed;
    await expect(page).toHaveURL("/subscription?promo=WELCOME");
    await expect(page.getByRole("textbox", { name: "Promo code" })).toHaveValue("WELCOME");
    await page.goto("/dashboard");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Welcome, ${PERSON[provider]}`);
    expect(await page.evaluate(() => document.cookie)).toBe("");
  });

  test(`${name} without JavaScript: the same by a form`, async ({ browser, server }) => {
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.origin });
    const page = await context.newPage();
    await page.goto("/register?return_to=/dashboard");
    await press(page, `Continue with ${name}`);
    await chooseAnother(page, `${randomUUID()}@example.com`);
    await expect(page).toHaveURL("/dashboard");

    await context.clearCookies();
    await turnKnobs(server, { denial: true });
    await page.goto("/login");
    await press(page, `Continue with ${name}`);
    await expectFailure(
      page,
      "access-denied",
      `Failed to sign in with ${name}You cancelled at ${name}, or did not allow it. Nothing was changed. Try again if you did not mean to.`,
    );
    await context.close();
  });
}

test("an unverified address: signed in, and asked by mail", async ({ page, server, open }) => {
  const email = `${randomUUID()}@example.com`;
  await open("/register");
  const popup = await openPopup(page, "Facebook");
  await chooseAnother(popup, email);
  await expect(page).toHaveURL("/subscription");
  await mailTo(server, email, /Confirm your email address/);
});

test("popup-closed-by-user: said, and pressing again works", async ({ page, open }) => {
  await open("/login");
  const popup = await openPopup(page, "Google");
  await popup.close();
  await expectFailure(
    page,
    "popup-closed-by-user",
    /^Failed to sign in with GoogleThe Google window was closed before you had finished\./,
  );
  await expect(page.getByRole("alert")).toHaveCount(1);
  const again = await openPopup(page, "Google");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await again.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("the popup closed, and this tab used instead", async ({ page, open }) => {
  await open("/login");
  await (await openPopup(page, "Google")).close();
  await expect(page.getByRole("alert")).toBeVisible();
  await press(page, "Use this tab instead");
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("popup-blocked: said, and it goes on in this tab", async ({ page, open }) => {
  await page.addInitScript(() => {
    window.open = () => null;
    // While a page is being left nobody can look at it, so it is held until it was looked at.
    const { submit } = HTMLFormElement.prototype;
    HTMLFormElement.prototype.submit = function hold() {
      addEventListener("looked-at", () => submit.call(this));
    };
  });
  await open("/login?return_to=/test-promo");
  await press(page, "Continue with Google");
  await expectFailure(
    page,
    "popup-blocked",
    "Your browser blocked the Google window, so we go on in this tab. If nothing happens, press the button again.",
  );
  await page.evaluate(() => dispatchEvent(new Event("looked-at")));
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/test-promo");
});

test("cancelled-popup-request: a second popup closes the first", async ({ page, open }) => {
  await open("/login");
  const first = await openPopup(page, "Google");
  const closed = first.waitForEvent("close");
  const second = await openPopup(page, "Facebook");
  await closed;
  await expectFailure(
    page,
    "cancelled-popup-request",
    "Failed to sign in with GoogleThe Google window was cancelled because you opened another one. Go on there.",
  );
  await second.getByRole("button", { name: "Grace Hopper" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("the provider is told no: access-denied", async ({ page, open }) => {
  await open("/login");
  const popup = await openPopup(page, "Facebook");
  await popup.getByRole("button", { name: "Cancel" }).click();
  await expectFailure(
    page,
    "access-denied",
    "Failed to sign in with FacebookYou cancelled at Facebook, or did not allow it. Nothing was changed. Try again if you did not mean to.",
  );
  expect(popup.isClosed()).toBe(true);
});

test("a provider that cuts the popup off from its opener: it is heard all the same", async ({
  page,
  server,
  open,
}) => {
  await turnKnobs(server, { coop: true });
  await open("/login");
  const popup = await openPopup(page, "Google");
  // From here it looks closed, which is said; and it is not, so it goes on.
  await expectFailure(page, "popup-closed-by-user", /If it is still open, go on there\./);
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("cut off and unheard: the page asks the server", async ({ page, server, open }) => {
  await turnKnobs(server, { coop: true });
  await page.addInitScript(() => {
    window.BroadcastChannel = class extends EventTarget {
      postMessage() {}
      close() {}
    } as unknown as typeof BroadcastChannel;
  });
  await open("/login");
  const popup = await openPopup(page, "Google");
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("web-storage-unsupported: cookies are off, known beforehand or on the way back", async ({
  page,
  context,
  open,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "cookieEnabled", { get: () => false });
  });
  await open("/login");
  await press(page, "Continue with Google");
  const text =
    "Failed to sign in with GoogleYour browser keeps no cookies for this site, and signing in needs one. Allow cookies and try again.";
  await expectFailure(page, "web-storage-unsupported", text);
  expect(context.pages()).toHaveLength(1);
});

test("web-storage-unsupported: a browser that says it keeps cookies, and does not", async ({
  page,
  context,
  open,
}) => {
  await open("/login");
  const popup = await openPopup(page, "Google");
  await context.clearCookies();
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await expectFailure(
    page,
    "web-storage-unsupported",
    /^Failed to sign in with GoogleYour browser keeps no cookies/,
  );
});

test("network-request-failed: offline, and a provider that is away", async ({
  page,
  context,
  server,
  open,
}) => {
  await open("/login");
  await context.setOffline(true);
  await press(page, "Continue with Google");
  const text = "We could not reach Google. Try again in a moment, or sign in another way.";
  await expectFailure(page, "network-request-failed", `Failed to sign in with Google${text}`);
  expect(context.pages()).toHaveLength(1);

  await context.setOffline(false);
  await turnKnobs(server, { token: "500" });
  const popup = await openPopup(page, "Google");
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await expectFailure(page, "network-request-failed", `Failed to sign in with Google${text}`);
});

test("unauthorized-domain: the site under a name that is not on the list", async ({ page, server, open }) => {
  await open(`http://127.0.0.1:${server.port}/login`);
  await press(page, "Continue with Facebook");
  await expectFailure(
    page,
    "unauthorized-domain",
    "Failed to sign in with FacebookSigning in with Facebook does not work at this web address. Check the address bar, or sign in with your password.",
  );
});

test("invalid-api-key: the provider does not know our client id", async ({ page, server, open }) => {
  await turnKnobs(server, { token: "invalid_client" });
  await open("/login");
  const popup = await openPopup(page, "Facebook");
  await popup.getByRole("button", { name: "Grace Hopper" }).click();
  await expectFailure(
    page,
    "invalid-api-key",
    "Failed to sign in with FacebookFacebook does not know this site at the moment. That is our mistake. Sign in another way, or write to us.",
  );
});

const BROKEN = /^Failed to sign in with GoogleSomething broke on our side\. Try again in a moment\./;

test("internal-error: with the database away the window closes and the page says so", async ({
  page,
  server,
  open,
}) => {
  const restore = await cutDatabase(server);
  await open("/login");
  const [popup] = await Promise.all([page.waitForEvent("popup"), press(page, "Continue with Google")]);
  await expectFailure(page, "internal-error", BROKEN);
  expect(popup.isClosed()).toBe(true);
  await press(page, "Use this tab instead");
  await expect(page).toHaveURL(/^[^?]*\/login\?provider=google&error=internal-error/);
  await expectFailure(page, "internal-error", BROKEN);

  await restore();
  await page.waitForFunction(() => "__reactRouterDataRouter" in window);
  const again = await openPopup(page, "Google");
  await again.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("internal-error: a way back that cannot be looked up is told where it began, too", async ({
  page,
  server,
  open,
}) => {
  await open("/login");
  const popup = await openPopup(page, "Google");
  const mend = await breakStatements(server, "UPDATE ON provider_flows");
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await expectFailure(page, "internal-error", BROKEN);
  await mend();
});

test("a window that never gets through: said after a quarter of a minute, and this tab gets on", async ({
  page,
  context,
  open,
}) => {
  await page.clock.install();
  await context.route("**/auth/popup/google?*", (route) => route.abort("connectionrefused"));
  await open("/login");
  await press(page, "Continue with Google");
  await expect(page.getByText("Go on in the Google window.")).toBeVisible();
  await page.clock.fastForward(15_000);
  await expectFailure(page, "internal-error", BROKEN);
  await press(page, "Use this tab instead");
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("an account with the same address: refused, with the way out", async ({ page, server, open }) => {
  const email = `${randomUUID()}@example.com`;
  await server.pool.query(`INSERT INTO "user" (id, name, email) VALUES ($1, 'Mallory', $2)`, [
    randomUUID(),
    email,
  ]);
  await server.pool.query(
    `INSERT INTO account (id, account_id, provider_id, user_id, password)
     SELECT gen_random_uuid(), id, 'credential', id, 'a hash that no password has' FROM "user" WHERE email = $1`,
    [email],
  );
  await open("/login");
  const popup = await openPopup(page, "Google");
  await chooseAnother(popup, email);
  await expectFailure(
    page,
    "address-unconfirmed",
    /^Failed to sign in with Google.*never confirmed it\. Reset its password to make it yours, then connect Google\.Reset the password$/,
  );
});

test("only the latest news: sending the form of the page takes away what its address said", async ({
  page,
  open,
}) => {
  await open("/login?provider=google&error=access-denied");
  await expect(page.locator('[data-code="access-denied"]')).toBeVisible();
  // Held back in the browser, so that no answer tells the page of it.
  await press(page, "Login");
  await expect(page.getByText("Enter your email address").first()).toBeVisible();
  await expect(page.locator('[data-code="access-denied"]')).toBeHidden();
});

test("connecting ends with words, and a failure takes the place of older ones", async ({
  page,
  server,
  openSignedIn,
  open,
}) => {
  const { email } = await openSignedIn("/account/connections");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Connected accounts");
  await server.pool.query(`UPDATE "user" SET email_verified = true WHERE email = $1`, [email]);
  await open("/account/connections");
  const [popup] = await Promise.all([page.waitForEvent("popup"), press(page, "Connect Google")]);
  await chooseAnother(popup, `${randomUUID()}@example.com`);
  const isConnected = page.getByText("Google is connected. You can sign in with it from now on.");
  await expect(isConnected).toBeVisible();
  await expect(page).toHaveURL("/account/connections?connected=google");

  await page.waitForFunction(() => "__reactRouterDataRouter" in window);
  const [second] = await Promise.all([page.waitForEvent("popup"), press(page, "Connect Facebook")]);
  await second.getByRole("button", { name: "Cancel" }).click();
  await expect(page.locator('[data-code="access-denied"]')).toBeVisible();
  await expect(isConnected).toBeHidden();

  await press(page, "Disconnect Google");
  await expect(page.getByText("Google is disconnected and no longer signs you in.")).toBeVisible();
});

test("the buttons are named, large enough and in one column on a small screen", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/login?provider=google&error=address-unconfirmed");
  for (const name of ["Continue with Google", "Continue with Facebook"]) {
    const box = await page.getByRole("button", { name }).boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await expect(page.getByRole("alert").locator("xpath=..")).toBeFocused();
});
