import { expect, PUBLIC_PAGES, register, test } from "../e2e/fixtures.ts";

const ACCOUNT_PAGES = ["/subscription?promo=PREMIUM3", "/dashboard", "/test-promo"];
const WIDTHS = [360, 1280];

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of WIDTHS) {
    test.describe(`${colorScheme} ${width}`, () => {
      test.use({
        colorScheme,
        viewport: { width, height: 800 },
        contextOptions: { reducedMotion: "reduce" },
      });

      test("every page", async ({ page }) => {
        test.setTimeout(120_000);
        let number = 0;
        const shoot = async (name: string) => {
          // A page wider than its window is the commonest fault at 360 px.
          expect(
            await page.evaluate(() => document.documentElement.scrollWidth),
            `${name} scrolls sideways`,
          ).toBeLessThanOrEqual(width);
          const file = `${String(++number).padStart(2, "0")}-${name.replaceAll("/", "") || "home"}.png`;
          await page.screenshot({ path: `screenshots/${colorScheme}-${width}/${file}`, fullPage: true });
        };
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
    });
  }
}
