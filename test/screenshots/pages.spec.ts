import { expect, PUBLIC_PAGES, register, test } from "../e2e/fixtures.ts";
import { linkIn, mailTo } from "../mail.ts";
import { camera, VIEWS } from "./camera.ts";

const ACCOUNT_PAGES = ["/subscription?promo=PREMIUM3", "/dashboard", "/dashboard/categories", "/test-promo"];

for (const { name, folder, width, use } of VIEWS) {
  test.describe(name, () => {
    test.use(use);

    test("every page", async ({ page }) => {
      test.setTimeout(120_000);
      const shoot = camera(page, folder, width);
      for (const path of PUBLIC_PAGES) {
        await page.goto(path);
        await shoot(path);
      }
      if (width < 960) {
        await page.goto("/faq");
        await page.getByRole("button", { name: "Menu" }).click();
        await shoot("menu");
      }
      await page.goto("/login?return_to=/subscription&reason=subscribe");
      await page.getByLabel("Email address").fill("ada@example.com");
      await page.getByLabel("Password").fill("not the one");
      await page.getByRole("main").getByRole("button", { name: "Login" }).click();
      await expect(page.getByRole("alert")).toBeVisible();
      await shoot("login-failed");
      await page.goto("/register");
      await page.getByLabel("Email address").fill("ada");
      await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
      await shoot("register-errors");
      await page.goto("/register");
      await shoot("register");
      await register(page);
      await expect(page).toHaveURL("/subscription");
      for (const path of ACCOUNT_PAGES) {
        await page.goto(path);
        await shoot(path.split("?")[0] ?? path);
      }
      await page.goto("/subscription");
      await page.getByRole("textbox", { name: "Promo code" }).fill("NOPE");
      await page.getByRole("button", { name: "Apply code" }).click();
      await expect(page.getByText("Invalid or expired promo code")).toBeVisible();
      await shoot("promo-error");
      await page.getByRole("textbox", { name: "Promo code" }).fill("PREMIUM3");
      await page.getByRole("button", { name: "Apply code" }).click();
      await expect(page.getByText("Promo code applied.")).toBeVisible();
      await shoot("promo-success");
      await expect(page).toHaveURL("/dashboard");
      await shoot("dashboard-promo");
      await page.goto("/test-promo");
      await shoot("test-promo-full");
      await page.goto("/subscription");
      await page.getByRole("button", { name: "Choose CSV + Banking, yearly" }).click();
      await expect(page.getByRole("button", { name: "Pay $49.99" })).toBeVisible();
      await shoot("checkout");
      await page.getByRole("button", { name: "Pay $49.99" }).click();
      await expect(page).toHaveURL(/paid=1/);
      await shoot("dashboard-paid");
      await page.goto("/subscription");
      await shoot("subscription-paid");
    });

    test("the waitlist and the contact form", async ({ page, server }) => {
      test.setTimeout(120_000);
      const shoot = camera(page, `${folder}/forms`, width);
      const email = `ada.lovelace.${folder}@example.com`;
      await page.goto("/waitlist?ref=abcdefgh23");
      await shoot("waitlist");
      await page.getByText("Tell us a little more (optional)").click();
      await page.getByLabel("Email address").fill("ada");
      await page.getByLabel("Name").fill("a".repeat(101));
      await page.getByRole("button", { name: "Join Waitlist" }).click();
      await shoot("waitlist-errors");
      await page.goto("/waitlist");
      await page.getByLabel("Email address").fill(email);
      await page.getByRole("button", { name: "Join Waitlist" }).click();
      await shoot("check-your-mail");
      const confirmMail = await mailTo(server, email, /^Confirm/);
      await page.goto(linkIn(confirmMail, "/waitlist/confirm"));
      await shoot("confirm");
      await page.getByRole("button", { name: "Confirm my place" }).click();
      await expect(page).toHaveURL(/\/waitlist\/place/);
      await shoot("place");
      await page.getByRole("link", { name: "Leave the list" }).click();
      await shoot("leave");
      await page.getByRole("button", { name: "Leave the waitlist" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("You’ve left the waitlist");
      await shoot("left");
      await page.goto(linkIn(confirmMail, "/waitlist/confirm"));
      await shoot("dead-link");
      await page.goto("/contact");
      await page.getByLabel("Email address").fill("ada");
      await page.getByRole("button", { name: "Send" }).click();
      await shoot("contact-errors");
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("What’s this about?").selectOption("idea");
      await page.getByLabel("Message").fill("Could a label have a color?");
      await page.locator("[name=extra]").evaluate((field: HTMLInputElement) => {
        field.value = "filled in by a robot";
      });
      await page.getByRole("button", { name: "Send" }).click();
      await shoot("contact-trapped");
      await page.goto("/contact/sent");
      await shoot("contact-sent");
      await page.goto("about:blank");
      await page.setContent(confirmMail.html);
      await shoot("confirm-mail");
    });
  });
}
