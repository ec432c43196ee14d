import type { Locator } from "@playwright/test";
import { openPayer, PLAN_STATES } from "../plan-states.ts";
import { expect, signIn, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    /** Counts the presses from the dashboard on; choosing and typing are free. */
    function counter() {
      let presses = 0;
      return {
        press: async (target: Locator) => {
          presses++;
          await target.click();
        },
        presses: () => presses,
      };
    }

    test("cancelling takes two presses, and keeping the plan one", async ({
      page,
      server,
      context,
      open,
    }) => {
      await signIn(context, server, await openPayer(server));
      await open("/dashboard");
      const { press, presses } = counter();
      await press(page.getByRole("link", { name: "Cancel plan" }));
      await expect(page.getByText(/^You keep CSV \+ Banking until/)).toBeVisible();
      await page.getByLabel("Why are you leaving?").selectOption("I don’t use it enough");
      await press(page.getByRole("button", { name: "Cancel plan" }));
      await expect(page).toHaveURL("/dashboard");
      await expect(page.getByText("Ending", { exact: true })).toBeVisible();
      expect(presses()).toBe(2);
      await page.getByRole("button", { name: "Keep my plan" }).click();
      await expect(page.getByText("Ending", { exact: true })).toHaveCount(0);
      await expect(page.getByRole("region", { name: "Your plan" })).toContainText("$49.99");
    });

    test("changing takes three presses, with the terms beside the last", async ({
      page,
      server,
      context,
      open,
    }) => {
      await signIn(context, server, await openPayer(server, "price_csv_only_yearly"));
      await open("/dashboard");
      const { press, presses } = counter();
      await press(page.getByRole("link", { name: "Change plan" }));
      await press(page.getByRole("link", { name: "See details CSV + Banking, yearly" }));
      await expect(
        page.getByText(
          /^You pay \$\d+\.\d\d today\. From .+, you pay \$49\.99 every year until you cancel\./,
        ),
      ).toBeVisible();
      await press(page.getByRole("button", { name: /^Pay \$\d+\.\d\d and change plan$/ }));
      await expect(page).toHaveURL("/dashboard");
      await expect(page.getByRole("region", { name: "Your plan" })).toContainText("$49.99");
      expect(presses()).toBe(3);
    });

    test("an invoice takes one press, its PDF too", async ({ page, server, context, open }) => {
      await signIn(context, server, await openPayer(server));
      await open("/dashboard");
      const { press, presses } = counter();
      await expect(page.getByRole("link", { name: /^PDF invoice/ })).toHaveAttribute("href", /pdf/);
      await press(page.getByRole("link", { name: /^View invoice/ }));
      await expect(page).toHaveURL(/\/sandbox\/stripe\//);
      await expect(page.getByText("$49.99").first()).toBeVisible();
      expect(presses()).toBe(1);
    });

    test("another card takes two presses", async ({ page, server, context, open }) => {
      await signIn(context, server, await openPayer(server));
      await open("/dashboard");
      await expect(page.getByText("Visa ending in 4242")).toBeVisible();
      const { press, presses } = counter();
      await press(page.getByRole("button", { name: "Update card" }));
      await expect(page).toHaveURL(/\/sandbox\/stripe\//);
      await page.getByLabel("Card number").fill("5555555555554444");
      await page.getByLabel(/^Expires/).fill("12/34");
      await page.getByLabel("Security code").fill("123");
      await press(page.getByRole("button", { name: "Save card" }));
      await expect(page).toHaveURL("/dashboard");
      await expect(page.getByText("Mastercard ending in 4444")).toBeVisible();
      expect(presses()).toBe(2);
    });

    test("a payment page that was left unpaid: nothing was charged, and the choice is still there", async ({
      page,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription");
      await page.getByText("Monthly", { exact: true }).click();
      await page.getByRole("button", { name: "Choose CSV Only, monthly" }).click();
      await page.getByRole("button", { name: "Cancel and go back" }).click();
      await expect(page).toHaveURL("/subscription?plan=prod_csv_only&billing=monthly&unpaid=1");
      await expect(page.getByText("Nothing was charged.")).toBeVisible();
      await expect(page.getByRole("heading", { level: 2 }).first()).toHaveText("CSV Only");
      await page.getByRole("button", { name: "Continue to payment: CSV Only, monthly" }).click();
      await expect(page.getByRole("button", { name: "Pay $2.99" })).toBeVisible();
    });

    test("the address alone does not say that nothing was charged", async ({ page, openSignedIn }) => {
      await openSignedIn("/subscription?plan=prod_csv_only&billing=monthly&unpaid=1");
      await expect(page.getByRole("button", { name: /^Continue to payment/ })).toBeVisible();
      await expect(page.getByText("Nothing was charged.")).toHaveCount(0);
    });

    test("a refund is one press on its page, and ends the plan", async ({ page, server, context, open }) => {
      await signIn(context, server, await openPayer(server));
      await open("/dashboard");
      await page.getByRole("link", { name: "Get a refund" }).click();
      await page.getByRole("button", { name: "Refund $49.99 and end plan" }).click();
      await expect(page).toHaveURL("/dashboard");
      await expect(page.getByText("$49.99 went back the way you paid")).toBeVisible();
      await expect(page.getByRole("link", { name: "Subscribe Now" })).toBeVisible();
    });

    test("withdrawing takes a statement and its confirmation", async ({ page, server, context, open }) => {
      await signIn(context, server, await openPayer(server));
      await open("/dashboard");
      await page.getByText("Right to withdraw (EU, EEA, UK)").click();
      await page.getByRole("link", { name: "Withdraw from contract here" }).click();
      await page.getByLabel("Your name").fill("");
      await page.getByRole("button", { name: "Withdraw from contract here" }).click();
      await expect(page.getByText("Enter your name")).toBeVisible();
      await page.getByLabel("Your name").fill("Ada King");
      await page.getByRole("button", { name: "Withdraw from contract here" }).click();
      await expect(page.getByText("Ada King withdraws from the contract")).toBeVisible();
      await page.getByRole("button", { name: "Confirm withdrawal" }).click();
      await expect(page).toHaveURL("/dashboard");
      await expect(page.getByText("No active subscription found.")).toBeVisible();
    });
  });
}

test.describe("accessible", () => {
  test("every page of a plan is sound, in each of its states", async ({ page, server, context }) => {
    const payer = await openPayer(server, "price_csv_only_yearly");
    await signIn(context, server, payer);
    for (const path of [
      "/dashboard",
      "/subscription",
      "/subscription/cancel",
      "/subscription/change",
      "/subscription/change?price=price_csv_banking_yearly&again=1",
      "/subscription/change?price=nothing",
      "/subscription/refund",
      "/subscription/withdraw",
      "/subscription/invoices",
    ]) {
      await page.goto(path);
      await expectSound(page);
    }
    for (const set of Object.values(PLAN_STATES)) {
      await set(server.pool, payer);
      await page.goto("/dashboard");
      await expectSound(page);
    }
  });
});
