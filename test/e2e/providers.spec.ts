import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { endOf, turnKnobs } from "../browser.ts";
import { NO_PLAIN_PAGES } from "../firefox.ts";
import { mailTo } from "../mail.ts";
import { expect, test } from "./fixtures.ts";
import { expectFailure, openPopup, press } from "./provider-sign-in.ts";

// Each worker has a server, and so a sandbox, of its own: the knobs affect no other test.
test.afterEach(({ server }) => turnKnobs(server, { reset: true }));

const PERSON = { google: "Ada Lovelace", facebook: "Grace Hopper" };

async function chooseAnother(page: Page, email: string) {
  await page.getByLabel("Another email address").fill(email);
  await page.getByRole("button", { name: "Continue", exact: true }).click();
}

for (const [provider, name] of [
  ["google", "Google"],
  ["facebook", "Facebook"],
] as const) {
  test.describe("windows as large as asked", () => {
    // In Firefox, Playwright gives a popup the page's size, too, if that has one.
    test.use({ viewport: null });

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
      await expect(page.getByText(`Continue in the ${name} window.`)).toBeVisible();
      const closed = popup.waitForEvent("close");
      await popup.getByRole("button", { name: PERSON[provider] }).click();
      await closed;
      await expect(page).toHaveURL("/subscription?promo=WELCOME");
      await expect(page.getByRole("textbox", { name: "Promo code" })).toHaveValue("WELCOME");
      await page.goto("/dashboard");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Welcome, ${PERSON[provider]}`);
      expect(await page.evaluate(() => document.cookie)).toBe("");
    });
  });

  test(`${name} without JavaScript: the same by a form`, async ({ browser, server, browserName }) => {
    test.skip(browserName === "firefox", NO_PLAIN_PAGES);
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.origin });
    const page = await context.newPage();
    await page.goto("/register?return_to=/dashboard");
    await press(page, `Continue with ${name}`);
    await chooseAnother(page, `${randomUUID()}@example.com`);
    // Without the "#_=_" behind which Facebook sends browsers back.
    await expect(page).toHaveURL(`/dashboard${endOf(provider)}`);

    await context.clearCookies();
    await turnKnobs(server, { denial: true });
    await page.goto("/login");
    await press(page, `Continue with ${name}`);
    await expectFailure(
      page,
      "access-denied",
      `Failed to sign in with ${name}You canceled the sign-in at ${name}, so nothing changed. Try again if you didn’t mean to.`,
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

test("the provider is told no: access-denied", async ({ page, open }) => {
  await open("/login");
  const popup = await openPopup(page, "Facebook");
  await popup.getByRole("button", { name: "Cancel" }).click();
  await expectFailure(
    page,
    "access-denied",
    "Failed to sign in with FacebookYou canceled the sign-in at Facebook, so nothing changed. Try again if you didn’t mean to.",
  );
  await expect.poll(() => popup.isClosed()).toBe(true);
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
    "Failed to sign in with GoogleYour browser is blocking cookies for this site, and you can’t log in without them. Allow cookies and try again.";
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
    /^Failed to sign in with GoogleYour browser is blocking cookies/,
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
  const text = "We couldn’t reach Google. Try again in a moment, or sign in another way.";
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
    "Failed to sign in with FacebookSigning in with Facebook doesn’t work on this domain. Check the address bar, or sign in with your password.",
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
    "Failed to sign in with FacebookFacebook doesn’t recognize this site at the moment. That’s our mistake. Sign in another way, or contact us.",
  );
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
    /^Failed to sign in with Google.*never confirmed\. If it’s yours, reset the password, then connect Google\.Reset the password$/,
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
  const isConnected = page.getByText("Google is connected. You can now sign in with it.");
  await expect(isConnected).toBeVisible();
  await expect(page).toHaveURL("/account/connections?connected=google");

  await page.waitForFunction(() => "hydrated" in document.documentElement.dataset);
  const [second] = await Promise.all([page.waitForEvent("popup"), press(page, "Connect Facebook")]);
  await second.getByRole("button", { name: "Cancel" }).click();
  await expect(page.locator('[data-code="access-denied"]')).toBeVisible();
  await expect(isConnected).toBeHidden();

  await press(page, "Disconnect Google");
  await expect(page.getByText("Google is disconnected. You can no longer sign in with it.")).toBeVisible();
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
