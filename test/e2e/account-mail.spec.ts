import type { Page } from "@playwright/test";
import { linkIn, mailTo } from "../mail.ts";
import { expect, PASSWORD, register, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

const NEW_PASSWORD = "lantern pickle ocean 12";

async function askForReset(page: Page, email: string, from = "/login") {
  await page.goto(from);
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  // The page that is left has such a field, too.
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Forgot your password?");
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page).toHaveURL("/forgot-password/sent");
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("confirm the address by mail", async ({ page, server, context }) => {
      await page.goto("/register");
      const email = await register(page);
      await expect(page).toHaveURL("/subscription");
      const link = linkIn(await mailTo(server, email, /^Confirm/), "/verify-email");
      await page.goto(link);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Confirm your email address");
      await expect(page.getByText(`Press the button to confirm ${email}.`)).toBeVisible();
      await page.getByRole("button", { name: "Confirm my email address" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your email address is confirmed");
      await expect(page.getByRole("banner").getByRole("button", { name: "Sign Out" })).toBeAttached();
      await page.goto(link);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your email address is confirmed");
      await context.clearCookies();
      await page.goto(link);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("This link no longer works");
    });

    test("a link that was used in another tab leaves no form behind", async ({
      page,
      server,
      context,
      openSignedIn,
    }) => {
      const { email } = await openSignedIn("/subscription");
      await context.clearCookies();
      await askForReset(page, email);
      await page.goto(linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password"));
      await expect(page.getByRole("link", { name: "Back to Login" })).toBeVisible();
      await server.pool.query("DELETE FROM mail_links WHERE email = $1", [email]);
      await page.getByLabel("New password").fill(NEW_PASSWORD);
      await page.getByRole("button", { name: "Change the password" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("This link no longer works");
      await expect(page.getByRole("button", { name: "Change the password" })).toBeHidden();
    });

    test("forget the password, choose another by mail, and log in with it", async ({
      page,
      server,
      context,
      openSignedIn,
    }) => {
      const { email } = await openSignedIn("/subscription");
      await context.clearCookies();
      await askForReset(page, email, "/login?return_to=/test-promo");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check your email");
      await expect(page.getByRole("link", { name: "Open its mailbox" })).toHaveAttribute(
        "href",
        "/sandbox/mail",
      );

      await page.goto(linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password"));
      await page.getByLabel("New password").fill("ownwords ownwords");
      await page.getByRole("button", { name: "Change the password" }).click();
      await expect(page.getByRole("alert")).toHaveText(
        /^Your password wasn’t changed.*isn’t just your name, your email address, or our name/,
      );
      await page.getByLabel("New password").fill(NEW_PASSWORD);
      await page.getByRole("button", { name: "Change the password" }).click();
      // Signed in by it, and back to where they were going.
      await expect(page).toHaveURL("/test-promo");
      await expect(page.getByRole("banner").getByRole("button", { name: "Sign Out" })).toBeAttached();

      await context.clearCookies();
      await page.goto("/login");
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("main").getByRole("button", { name: "Login" }).click();
      await expect(page.getByRole("alert")).toHaveText(/^Failed to sign in/);
      await page.getByLabel("Password").fill(NEW_PASSWORD);
      await page.getByRole("main").getByRole("button", { name: "Login" }).click();
      await expect(page).toHaveURL("/dashboard");
    });
  });
}

test("while the network is slow, confirming twice is confirming once", async ({ page, server }) => {
  await page.goto("/register");
  const email = await register(page);
  await expect(page).toHaveURL("/subscription");
  const link = linkIn(await mailTo(server, email, /^Confirm/), "/verify-email");
  await page.context().clearCookies();
  await page.goto(link);
  // Outside the account the link alone confirms nothing.
  await page.getByLabel("Password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Confirm my email address" }).click();
  await expect(page.getByLabel("Password")).toHaveAccessibleDescription(/Wrong password\./);
  await page.getByLabel("Password").fill(PASSWORD);
  const { promise: isSlow, resolve: goOn } = Promise.withResolvers<void>();
  let sent = 0;
  await page.route(/\/verify-email(\.data)?\?/, async (route) => {
    if (route.request().method() === "POST" && ++sent === 1) await isSlow;
    await route.continue();
  });
  const button = page.getByRole("main").locator("button[type=submit]").first();
  await button.click();
  await expect(button).toHaveAccessibleName("Confirming…");
  await button.click({ force: true });
  goOn();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your email address is confirmed");
  expect(sent).toBe(1);
});

test("while the network is away confirming keeps the button", async ({ page, server, context }) => {
  await page.goto("/register");
  const email = await register(page);
  await expect(page).toHaveURL("/subscription");
  await page.goto(linkIn(await mailTo(server, email, /^Confirm/), "/verify-email"));
  await context.setOffline(true);
  await page.getByRole("button", { name: "Confirm my email address" }).click();
  await expect(page.getByRole("alert")).toContainText("We couldn’t reach the site");
  await context.setOffline(false);
  await page.getByRole("button", { name: "Confirm my email address" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your email address is confirmed");
});

test.describe("accessible", () => {
  test("the pages behind the mails are sound", async ({ page, server, context }) => {
    await page.goto("/register");
    const email = await register(page);
    await expect(page).toHaveURL("/subscription");
    const link = linkIn(await mailTo(server, email, /^Confirm/), "/verify-email");
    await page.goto(link);
    await expectSound(page);
    const cookies = await context.cookies();
    await context.clearCookies();
    await page.goto(link);
    await page.getByLabel("Password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Confirm my email address" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await expectSound(page);
    await context.addCookies(cookies);
    await page.goto(link);
    await page.getByRole("button", { name: "Confirm my email address" }).click();
    await expect(page).toHaveURL("/verify-email/done?return_to=%2Fsubscription");
    for (const path of ["/verify-email/done", "/verify-email/sent", "/reset-password", "/forgot-password"]) {
      await page.goto(path);
      await expectSound(page);
    }
    await context.clearCookies();
    await askForReset(page, email);
    await expectSound(page);
    await page.goto(linkIn(await mailTo(server, email, /^Choose a new password/), "/reset-password"));
    await page.getByLabel("New password").fill("short");
    await page.getByRole("button", { name: "Change the password" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await expectSound(page);
  });
});
