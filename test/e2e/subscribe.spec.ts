import { dayIn, expect, factsOf, register, test } from "./fixtures.ts";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("register, choose CSV + Banking yearly, pay, and see it on the dashboard", async ({ page }) => {
      await page.goto("/subscription");
      await expect(page).toHaveURL("/login?return_to=%2Fsubscription");
      await page.getByRole("main").getByRole("link", { name: "Sign Up" }).click();
      await register(page);

      await expect(page).toHaveURL("/subscription");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Choose Your Ownwords Plan");
      await expect(page.getByText("$49.99 a year$4.17 a month")).toBeVisible();
      await page.getByRole("button", { name: "Choose CSV + Banking, yearly" }).click();

      await expect(page).toHaveURL(/\/sandbox\/stripe\/checkout\//);
      await expect(
        page.getByText("Your price never goes up while you stay subscribed. Time before launch is free"),
      ).toBeVisible();
      await page.getByRole("button", { name: "Pay $49.99" }).click();

      await expect(page).toHaveURL("/dashboard?paid=1");
      expect(await factsOf(page, "Your subscription")).toEqual({
        Status: "Active",
        Plan: "CSV + Banking",
        Tier: "premium",
        Renews: `${dayIn(12)}, plus the days until CSV Processing opens`,
        Features: "CSV Processing\nBanking API",
      });

      await page.goto("/subscription");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your plan");
      await expect(
        page.getByRole("heading", { name: "You’re on CSV + Banking, $49.99 a year", exact: true }),
      ).toBeVisible();
      await expect(page.getByRole("button", { name: /^Choose/ })).toHaveCount(0);
      for (const verb of ["Change plan", "Cancel plan"])
        await expect(page.getByRole("main").getByRole("link", { name: verb })).toBeVisible();
    });

    test("a plan chosen on the pricing page is paid right after signing up", async ({ page }) => {
      await page.goto("/pricing?billing=monthly");
      await page.getByRole("link", { name: "Choose CSV + Banking" }).last().click();
      await expect(page).toHaveURL(/^[^?]*\/register\?/);
      await register(page);
      await expect(page.getByRole("button", { name: "Pay $4.99" })).toBeVisible();
      await page.getByRole("button", { name: "Cancel and go back" }).click();
      await expect(page.getByText("Nothing was charged.")).toBeVisible();
    });

    test("a plan that was chosen before comes first and is not chosen again", async ({
      page,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription?plan=prod_csv_banking&billing=monthly");
      await expect(page.getByRole("heading", { level: 2 }).first()).toHaveText("CSV + Banking");
      await expect(
        page.getByText("You pay $4.99 today, then $4.99 every month on the same day until you cancel."),
      ).toBeVisible();
      await page.getByRole("button", { name: "Continue to payment: CSV + Banking, monthly" }).click();
      await expect(page.getByRole("button", { name: "Pay $4.99" })).toBeVisible();
    });

    test("cancelling on the payment page leads back and charges nothing", async ({ page, openSignedIn }) => {
      await openSignedIn("/subscription");
      await page.getByText("Monthly", { exact: true }).click();
      await page.getByRole("button", { name: "Choose CSV Only, monthly" }).click();
      await expect(page.getByRole("button", { name: "Pay $2.99" })).toBeVisible();
      await page.getByRole("button", { name: "Cancel and go back" }).click();
      await expect(page).toHaveURL(/^[^?]*\/subscription\?/);
      await page.goto("/dashboard");
      await expect(
        page.getByText("No active subscription found. Please subscribe to access Ownwords features."),
      ).toBeVisible();
      await page.getByRole("link", { name: "Subscribe Now" }).click();
      await expect(page).toHaveURL("/subscription");
    });
  });
}
