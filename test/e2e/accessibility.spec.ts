import { expect, PUBLIC_PAGES, register, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

for (const path of PUBLIC_PAGES) {
  test(`${path} is sound, with all that can be opened open`, async ({ page }) => {
    await page.goto(path);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await expectSound(page);
  });
}

test("the forms to sign in and up are sound, with what can go wrong", async ({ page }) => {
  await page.goto("/login");
  await expectSound(page);
  await page.goto("/register?return_to=/subscription?plan=prod_csv_only%26promo=WELCOME");
  await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expectSound(page);
  await register(page);
  await expect(page).toHaveURL("/subscription?plan=prod_csv_only&promo=WELCOME");
  await expectSound(page);
});

test("every account page is sound", async ({ page, openSignedIn }) => {
  await openSignedIn("/subscription");
  for (const path of ["/subscription", "/dashboard", "/dashboard/categories", "/test-promo"]) {
    await page.goto(path);
    await expectSound(page);
  }
});
