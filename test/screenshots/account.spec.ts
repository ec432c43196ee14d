import { expect, register, test } from "../e2e/fixtures.ts";
import { ACCOUNT_PAGES } from "../e2e/looks.ts";
import { openHostedApp } from "../hosted-app.ts";
import { linkIn, mailTo } from "../mail.ts";
import { startServer } from "../server.ts";
import { camera, VIEWS } from "./camera.ts";

const ERRORS = ["access-denied", "account-exists", "address-unconfirmed", "web-storage-unsupported"];

for (const { name, folder, width, use } of VIEWS) {
  test.describe(name, () => {
    test.use(use);

    test("the account, its mails, and the ways in", async ({ page, server, context }) => {
      test.setTimeout(120_000);
      const shoot = camera(page, `${folder}/account`, width);
      for (const error of ERRORS) {
        await page.goto(`/login?provider=google&error=${error}`);
        await shoot(`login-${error}`);
      }
      await page.goto("/register?return_to=/dashboard");
      const email = await register(page, "Ada Lovelace");
      await expect(page).toHaveURL("/dashboard");
      await shoot("dashboard-unverified");
      for (const path of ACCOUNT_PAGES) {
        await page.goto(path);
        await shoot(path);
      }
      const verifyMail = await mailTo(server, email, /^Confirm/);
      await page.goto(linkIn(verifyMail, "/verify-email"));
      await shoot("verify");
      const cookies = await context.cookies();
      await context.clearCookies();
      await page.goto(linkIn(verifyMail, "/verify-email"));
      await shoot("verify-signed-out");
      await page.getByLabel("Password").fill("not the one");
      await page.getByRole("button", { name: "Confirm my email address" }).click();
      await expect(page.getByRole("alert")).toBeVisible();
      await shoot("verify-wrong");
      await page.goto("/verify-email/done");
      await shoot("verified-signed-out");
      await context.addCookies(cookies);
      await page.goto("/account/email");
      const wanted = `new.${email}`;
      await page.getByLabel("New email address").fill(wanted);
      await page.getByRole("button", { name: "Send confirmation email" }).click();
      const changeMail = await mailTo(server, wanted, /^Confirm your new/);
      await page.goto(linkIn(changeMail, "/account/email/confirm"));
      await shoot("change-email");
      await context.clearCookies();
      await page.goto(linkIn(changeMail, "/account/email/confirm"));
      await shoot("change-email-signed-out");
      await page.goto("/forgot-password");
      await page.getByLabel("Email address").fill(email);
      await page.getByRole("button", { name: "Send the link" }).click();
      await page.waitForURL("/forgot-password/sent");
      const resetBefore = await mailTo(server, email, /^Choose a new password/);
      await page.goto(linkIn(resetBefore, "/reset-password"));
      await shoot("reset-unconfirmed");
      await context.addCookies(cookies);
      await page.goto(linkIn(verifyMail, "/verify-email"));
      await page.getByRole("button", { name: "Confirm my email address" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your email address is confirmed");
      await shoot("verified");
      await page.goto("/account/connections");
      await shoot("connections-verified");
      await page.goto("/account/confirm?return_to=/account");
      await page.getByLabel("Password").fill("not the one");
      await page.getByRole("button", { name: "Confirm", exact: true }).click();
      await expect(page.getByText("Wrong password.").first()).toBeVisible();
      await shoot("confirm-wrong");
      await page.goto("/account/delete");
      await page.getByRole("button", { name: "Delete my account" }).click();
      await expect(page.getByText("Nothing was deleted")).toBeVisible();
      await shoot("delete-unsure");

      await context.clearCookies();
      await page.goto(linkIn(verifyMail, "/verify-email"));
      await shoot("dead-link");
      await page.goto("/forgot-password");
      await shoot("forgot");
      await page.getByLabel("Email address").fill(email);
      await page.getByRole("button", { name: "Send the link" }).click();
      await expect(page).toHaveURL("/forgot-password/sent");
      await shoot("forgot-sent");
      const resetMail = await mailTo(server, email, /^Choose a new password/);
      await page.goto(linkIn(resetMail, "/reset-password"));
      await page.getByLabel("New password").fill("passwordpassword");
      await page.getByRole("button", { name: "Change the password" }).click();
      await expect(page.getByRole("alert")).toBeVisible();
      await shoot("reset-refused");

      await page.goto("/login");
      const popup = page.waitForEvent("popup");
      await page.getByRole("button", { name: "Continue with Google" }).click();
      const chooser = await popup;
      await expect(chooser.getByRole("button", { name: /Ada Lovelace/ })).toBeVisible();
      await shoot("popup-open");
      await chooser.screenshot({ path: `screenshots/${folder}/account/popup-chooser.png` });
      await chooser.getByRole("button", { name: "Cancel" }).click();
      await expect(page.getByText("Failed to sign in with Google")).toBeVisible();
      await shoot("popup-cancelled");

      await page.goto("about:blank");
      await page.setContent(verifyMail.html);
      await shoot("verify-mail");
      await page.setContent(changeMail.html);
      await shoot("change-mail");
      await page.setContent(resetMail.html);
      await shoot("reset-mail");
    });

    test("the redirect screens", async ({ page }) => {
      // A hosted app that moves no browser (204), so that the screen stays.
      const app = await openHostedApp((_, response) => response.writeHead(204).end());
      const server = await startServer({ SIGN_IN: "redirect", ...app.env });
      const shoot = camera(page, `${folder}/redirect`, width);
      for (const path of ["/login", "/register"]) {
        await page.goto(server.origin + path, { waitUntil: "commit" });
        await expect(page.getByRole("heading", { level: 1 })).toContainText("Redirecting");
        await shoot(path);
      }
      await server.stop();
      app.close();
    });
  });
}
