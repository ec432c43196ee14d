import { expect, PUBLIC_PAGES, register, test } from "./fixtures.ts";
import { expectSound, LOOKS } from "./looks.ts";

const ACCOUNT_PAGES = ["/subscription", "/dashboard", "/test-promo"];

for (const { name, use } of LOOKS) {
  test.describe(name, () => {
    test.use(use);

    test("every public page is sound, with all that can be opened open", async ({ page }) => {
      for (const path of PUBLIC_PAGES) {
        await page.goto(path);
        await page.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        await expectSound(page);
      }
    });

    test("every account page is sound", async ({ page }) => {
      await page.goto("/login");
      await expectSound(page);
      await page.goto("/register?return_to=/subscription?plan=prod_csv_only%26promo=WELCOME");
      await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
      await expect(page.getByRole("alert")).toBeVisible();
      await expectSound(page);
      await register(page);
      await expect(page).toHaveURL("/subscription?plan=prod_csv_only&promo=WELCOME");
      await expectSound(page);
      for (const path of ACCOUNT_PAGES) {
        await page.goto(path);
        await expectSound(page);
      }
    });
  });
}
