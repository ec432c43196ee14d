import { control, eventually } from "../http.ts";
import { choosePremium, expect, factsOf, PASSWORD, test } from "./fixtures.ts";

// These turn the sandbox's knobs, which every page of the same server would feel.
test.describe.configure({ mode: "serial" });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("while Stripe does not answer the page confirms the payment, and shows it by itself", async ({
      page,
      server,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription");
      await choosePremium(page);
      await control(server, { webhooks: "hold", api: "down" });
      await page.getByRole("button", { name: "Pay $49.99" }).click();
      await expect(page.getByText("Confirming your payment…")).toBeVisible();
      for (const path of ["/subscription", "/dashboard"]) {
        await page.goto(path);
        await expect(page.getByText("Confirming your payment…")).toBeVisible();
        await expect(page.getByText("No active subscription found.")).toHaveCount(0);
        await expect(page.getByRole("button", { name: /^Choose/ })).toHaveCount(0);
      }
      await control(server, { api: "up" });
      await expect(page).toHaveURL("/dashboard?paid=1");
      expect(await factsOf(page, "Your subscription")).toMatchObject({
        Status: "Active",
        Plan: "CSV + Banking",
        Tier: "premium",
      });
      const thanks = page.getByText("Payment received, thank you.");
      await expect(thanks).toBeVisible();
      await page.reload();
      await expect(page).toHaveURL("/dashboard");
      await page.goto("/account");
      await page.goBack();
      await expect(page.getByRole("heading", { name: "Your subscription" })).toBeVisible();
      await expect(thanks).toHaveCount(0);
      await control(server, { webhooks: "deliver" });
    });

    test("while Stripe is away choosing a plan says so and keeps the page", async ({
      page,
      server,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription");
      await control(server, { api: "down" });
      await page.getByRole("button", { name: "Choose CSV Only, yearly" }).click();
      await expect(page.getByRole("alert")).toHaveText("Failed to initiate checkout. Please try again.");
      await control(server, { api: "up" });
      // Without JavaScript the page's address says by now which plan it was.
      const again = javaScriptEnabled ? "Choose CSV Only, yearly" : "Continue to payment: CSV Only, yearly";
      await page.getByRole("button", { name: again }).click();
      await expect(page.getByRole("button", { name: "Pay $29.99" })).toBeVisible();
    });

    test("a price that was replaced while the page was open: nothing is charged, and the new one is shown", async ({
      page,
      server,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription?billing=monthly");
      await expect(page.getByText("$2.99 a monthBilled monthly")).toBeVisible();
      // As a mirroring of the catalogue would leave it; the next one puts back what is Stripe's.
      await server.pool.query(
        `INSERT INTO prices (id, product_id, active, unit_amount, currency, "interval", sync_ticket)
         VALUES ('price_newer', 'prod_csv_only', true, 399, 'usd', 'month', 0)`,
      );
      await page.getByRole("button", { name: "Choose CSV Only, monthly" }).click();
      await expect(page.getByRole("alert")).toHaveText(/^Failed to initiate checkout.*Nothing was charged/);
      await expect(page.getByText("$3.99 a monthBilled monthly").first()).toBeVisible();
      await expect(page.getByText("$2.99 a month")).toHaveCount(0);
      await server.pool.query("DELETE FROM prices WHERE id = 'price_newer'");
    });

    test("choosing a plan after the session ended leads to signing in, and back to the choice", async ({
      page,
      server,
      openSignedIn,
    }) => {
      const { email } = await openSignedIn("/subscription");
      await server.pool.query(
        `DELETE FROM session WHERE user_id = (SELECT id FROM "user" WHERE email = $1)`,
        [email],
      );
      await page.getByText("Monthly", { exact: true }).click();
      await page.getByRole("button", { name: "Choose CSV Only, monthly" }).click();
      await expect(page).toHaveURL((url) => url.pathname === "/login");
      await expect(page.getByText("You must be logged in to subscribe")).toBeVisible();
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("main").getByRole("button", { name: "Login" }).click();
      await expect(page).toHaveURL("/subscription?plan=prod_csv_only&billing=monthly");
      await expect(
        page.getByRole("button", { name: "Continue to payment: CSV Only, monthly" }),
      ).toBeVisible();
    });
  });
}

test("a subscription whose payment failed says so, and does not pretend that there is none", async ({
  page,
  server,
  openSignedIn,
}) => {
  const { email } = await openSignedIn("/subscription");
  await page.getByRole("button", { name: "Choose CSV Only, yearly" }).click();
  await page.getByRole("button", { name: "Pay $29.99" }).click();
  await expect(page).toHaveURL("/dashboard?paid=1");
  const { rows } = await server.pool.query(
    `SELECT id FROM stripe_subscriptions WHERE user_id = (SELECT id FROM "user" WHERE email = $1)`,
    [email],
  );
  const ids = rows.map(({ id }) => id);
  // At Stripe first, where the news of the payment that are still on their way will ask. What has asked already is waited for.
  await server.pool.query(
    `UPDATE sandbox_stripe.objects SET object = jsonb_set(object, '{status}', '"past_due"') WHERE id = ANY($1)`,
    [ids],
  );
  const running =
    "SELECT FROM outbox WHERE kind = 'sync_customer' AND claimed_at IS NOT NULL AND done_at IS NULL";
  await eventually(async () => (await server.pool.query(running)).rowCount === 0, "no sync is running");
  await server.pool.query("UPDATE stripe_subscriptions SET status = 'past_due' WHERE id = ANY($1)", [ids]);
  for (const path of ["/dashboard", "/subscription"]) {
    await page.goto(path);
    await expect(page.getByRole("alert")).toHaveText(/^Your last payment didn’t go through/);
    await expect(page.getByText("No active subscription found.")).toHaveCount(0);
    await expect(page.getByRole("button", { name: /^Choose/ })).toHaveCount(0);
  }
});

test("a code beside a plan that is paid for says that the payments go on", async ({ page, openSignedIn }) => {
  await openSignedIn("/subscription");
  await page.getByRole("button", { name: "Choose CSV Only, yearly" }).click();
  await page.getByRole("button", { name: "Pay $29.99" }).click();
  await expect(page.getByText("Next payment", { exact: true })).toBeVisible();
  await page.goto("/subscription?promo=PREMIUM3");
  await expect(page.getByText("A code doesn’t change what you pay for CSV Only.")).toBeVisible();
  await page.getByRole("button", { name: "Apply code" }).click();
  await page.waitForURL("/dashboard");
  expect(await factsOf(page, "Your subscription")).toMatchObject({ From: "promo code PREMIUM3" });
  await expect(page.getByText("The plan you pay for continues, and so do its payments.")).toBeVisible();
  await expect(page.getByText(/^CSV Only, yearly, on /)).toBeVisible();
  await expect(page.getByText("charges nothing")).toHaveCount(0);
  await page.goto("/dashboard?paid=1");
  await expect(page.getByText("Payment received.")).toHaveCount(0);
});
