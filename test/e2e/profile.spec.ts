import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { linkIn, mailTo } from "../mail.ts";
import type { TestServer } from "../server.ts";
import { expect, PASSWORD, test } from "./fixtures.ts";

const NEW_PASSWORD = "lantern pickle ocean 12";

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

const line = (page: Page, name: string) => page.locator(".account-line").filter({ hasText: name });

async function login(page: Page, email: string, password: string) {
  await page.goto("/login?return_to=/account");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await expect(heading(page)).toHaveText("Your account");
}

/** As if they had signed in a quarter of an hour ago. */
const makeStale = (server: TestServer, email: string) =>
  server.pool.query(
    `UPDATE session SET confirmed_at = now() - interval '15 minutes'
     WHERE user_id = (SELECT id FROM "user" WHERE email = $1)`,
    [email],
  );

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("name and photo, seen at once above every account page", async ({ page, openSignedIn }) => {
      await page.route("https://photos.example/**", (route) =>
        route.fulfill({
          contentType: "image/svg+xml",
          body: '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><rect width="80" height="80" fill="teal"/></svg>',
        }),
      );
      await openSignedIn("/account");
      await expect(page.getByRole("banner").getByText("Signed in as Ada Lovelace")).toBeVisible();
      const form = page.getByRole("region", { name: "Profile" });
      await form.getByLabel("Name").fill("");
      await form.getByText("Use a photo from a link").click();
      await form.getByLabel("Photo link").fill("ada.jpg");
      await form.getByRole("button", { name: "Save", exact: true }).click();
      await expect(page.getByRole("alert")).toHaveText(/^Your profile wasn’t saved.*Enter your name/);
      await expect(form.getByLabel("Photo link")).toHaveValue("ada.jpg");

      await form.getByLabel("Name").fill("Countess Lovelace");
      await form.getByLabel("Photo link").fill("https://photos.example/ada.svg");
      await form.getByRole("button", { name: "Save the link" }).click();
      await expect(page).toHaveURL("/account?changed=profile");
      await expect(page.getByText("Saved.")).toBeVisible();
      await expect(page.getByRole("banner").getByText("Signed in as Countess Lovelace")).toBeVisible();
      const photo = page.getByRole("banner").locator(".photo img");
      await expect(photo).toHaveJSProperty("naturalWidth", 80);
      await expect(photo).toHaveAttribute("referrerpolicy", "no-referrer");
      await page.goto("/dashboard");
      await expect(heading(page)).toHaveText("Welcome, Countess Lovelace");
      await expect(page.getByRole("banner").locator(".photo img")).toHaveJSProperty("naturalWidth", 80);
    });

    test("another address, by the mail that goes to it", async ({ page, server, openSignedIn }) => {
      const { email } = await openSignedIn("/account");
      await expect(line(page, "Email address")).toContainText("Not confirmed");
      await expect(page.getByRole("button", { name: "Send the email again" })).toBeVisible();
      await page.getByRole("link", { name: "Change email address" }).click();
      await page.getByLabel("New email address").fill(email);
      await page.getByRole("button", { name: "Send confirmation email" }).click();
      await expect(page.getByRole("alert")).toHaveText(/This is already your email address$/);

      const wanted = `${randomUUID()}@example.com`;
      await server.pool.query(`UPDATE "user" SET email_verified = true WHERE email = $1`, [email]);
      await page.getByLabel("New email address").fill(wanted);
      await page.getByRole("button", { name: "Send confirmation email" }).click();
      await expect(heading(page)).toHaveText("Check your email");
      await mailTo(server, email, /^Someone asked to change your email address/);
      const link = linkIn(await mailTo(server, wanted, /^Confirm your new/), "/account/email/confirm");
      await page.goto(link);
      await page.getByRole("button", { name: "Use this email address" }).click();
      await expect(heading(page)).toHaveText("Email address changed");
      await page.getByRole("link", { name: "Go to your account" }).click();
      await expect(line(page, "Email address")).toContainText(wanted);
      await expect(line(page, "Email address")).not.toContainText("Not confirmed");
      await expect(page.getByRole("button", { name: "Send the email again" })).toBeHidden();
      await page.goto(link);
      await expect(heading(page)).toHaveText("This link no longer works");
    });

    test("after a while the password is asked for, then it is changed, and the other browser is signed out", async ({
      page,
      browser,
      server,
      openSignedIn,
    }) => {
      const { email } = await openSignedIn("/account");
      const elsewhere = await browser.newPage({ baseURL: server.origin, ignoreHTTPSErrors: true });
      await login(elsewhere, email, PASSWORD);
      await makeStale(server, email);

      await page.getByRole("link", { name: "Change password" }).click();
      await expect(heading(page)).toHaveText("Confirm it’s you");
      await page.getByLabel("Password").fill("not the password");
      await page.getByRole("button", { name: "Confirm" }).click();
      await expect(page.getByRole("alert")).toHaveText(/^We couldn’t confirm it’s you\s*Wrong password\./);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Confirm" }).click();
      await expect(heading(page)).toHaveText("Change your password");

      await page.getByLabel("Current password").fill("not the password");
      await page.getByLabel("New password").fill(NEW_PASSWORD);
      await page.getByRole("button", { name: "Change your password" }).click();
      await expect(page.getByRole("alert")).toHaveText(/^Your password wasn’t changed\s*Wrong password/);
      await page.getByLabel("Current password").fill(PASSWORD);
      await page.getByLabel("New password").fill(NEW_PASSWORD);
      await page.getByRole("button", { name: "Change your password" }).click();
      await expect(page.getByText("Your password is changed.")).toBeVisible();

      await elsewhere.goto("/account");
      await expect(elsewhere).toHaveURL("/login?return_to=%2Faccount");
      await login(elsewhere, email, NEW_PASSWORD);
      await elsewhere.close();
    });

    test("two browsers, of which one signs the other out", async ({
      page,
      browser,
      server,
      openSignedIn,
    }) => {
      const { email } = await openSignedIn("/account");
      const elsewhere = await browser.newPage({
        baseURL: server.origin,
        ignoreHTTPSErrors: true,
        userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      });
      await login(elsewhere, email, PASSWORD);
      await page.goto("/account");
      await expect(line(page, "Devices")).toContainText("2 devices");
      await page.getByRole("link", { name: "Manage devices" }).click();
      await expect(page.getByText("(this device)")).toHaveCount(1);
      await page.getByRole("button", { name: "Sign out Firefox on Linux" }).click();
      await expect(page.getByText("Signed out.")).toBeVisible();
      await expect(page.getByRole("button", { name: "Sign out all other devices" })).toBeHidden();
      await elsewhere.goto("/account");
      await expect(elsewhere).toHaveURL(/\/login/);
      await login(elsewhere, email, PASSWORD);
      await page.reload();
      await page.getByRole("button", { name: "Sign out all other devices" }).click();
      if (javaScriptEnabled) await page.getByRole("button", { name: "Sign them out" }).click();
      await expect(page.getByText("Firefox")).toHaveCount(0);
      await elsewhere.goto("/account");
      await expect(elsewhere).toHaveURL(/\/login/);
      await elsewhere.close();
    });

    test("the data as a file, and then the account is gone", async ({
      page,
      context,
      server,
      openSignedIn,
    }) => {
      const { email } = await openSignedIn("/account");
      await makeStale(server, email);
      await page.getByRole("link", { name: "Download" }).click();
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Confirm" }).click();
      await expect(page).toHaveURL("/account?export=ready");
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: "download it" }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^ownwords-account-\d{4}-\d{2}-\d{2}\.json$/);
      expect(JSON.parse(await readFile(await download.path(), "utf8"))).toMatchObject({ profile: { email } });

      await page.getByRole("link", { name: "Delete" }).click();
      // Our words, not the browser's bubble.
      await page.getByRole("button", { name: "Delete my account" }).click();
      await expect(page.getByRole("alert")).toHaveText(/^Nothing was deleted/);
      await expect(page.getByRole("textbox", { name: "Your email address" })).toHaveAccessibleDescription(
        /^Enter your email address Type .* to confirm\.$/,
      );
      await page.getByRole("textbox", { name: "Your email address" }).fill("somebody@example.com");
      await page.getByRole("button", { name: "Delete my account" }).click();
      await expect(page.getByRole("alert")).toHaveText(
        /^Nothing was deleted\s*That’s not your email address$/,
      );
      await page.getByRole("textbox", { name: "Your email address" }).fill(email);
      await page.getByRole("button", { name: "Delete my account" }).click();
      await expect(heading(page)).toHaveText("Your account is deleted");
      expect(await context.cookies()).toEqual([]);
      await mailTo(server, email, /^Your account is deleted$/);
      await page.goto("/account");
      await expect(page).toHaveURL("/login?return_to=%2Faccount");
    });
  });
}
