import { expectNoScript } from "./documents.ts";
import { expect, register, test } from "./fixtures.ts";

test("the toggle shows one price of each plan, and both figures of it", async ({ page }) => {
  await page.goto("/pricing");
  await expectNoScript(page);
  const cards = page.getByRole("list").filter({ has: page.getByRole("heading", { name: "CSV Only" }) });
  await expect(page.getByRole("radio", { name: "Annual Save 17%" })).toBeChecked();
  await expect(cards.getByText("$29.99 a year$2.50 a month")).toBeVisible();
  await expect(cards.getByText("$49.99 a year$4.17 a month")).toBeVisible();
  await expect(cards.getByText("$2.99 a month", { exact: true })).toBeHidden();

  await page.getByText("Monthly", { exact: true }).click();
  await expect(cards.getByText("$2.99 a monthBilled monthly, or $29.99 a year")).toBeVisible();
  await expect(cards.getByText("$4.99 a monthBilled monthly, or $49.99 a year")).toBeVisible();
  await expect(cards.getByText("$2.50 a month")).toBeHidden();

  await page.getByRole("radio", { name: "Monthly" }).press("ArrowLeft");
  await expect(cards.getByText("$29.99 a year$2.50 a month")).toBeVisible();
  await expect(page.getByRole("link", { name: "See it in the store" })).toHaveAttribute("href", /^https:/);
});

test("the toggle is also a link", async ({ page }) => {
  await page.goto("/pricing?billing=annual");
  await expect(page.getByRole("radio", { name: "Annual" })).toBeChecked();
  await page.goto("/pricing?billing=monthly");
  await expect(page.getByRole("radio", { name: "Monthly" })).toBeChecked();
  await page.goto("/pricing?billing=nonsense");
  await expect(page.getByRole("radio", { name: "Annual" })).toBeChecked();
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("the plan, the period and the promo code chosen here are there after signing up", async ({
      page,
    }) => {
      await page.goto("/pricing?promo=%20premium3%20");
      await expect(page.getByText("Promo code premium3 is saved")).toBeVisible();
      await page.getByText("Monthly", { exact: true }).click();
      await page.getByRole("link", { name: "Choose CSV + Banking" }).locator("visible=true").click();

      await expect(page.getByText("You chose CSV + Banking, $4.99 a month.")).toBeVisible();
      await expect(page.getByText("You pay on the payment page, after the next step.")).toBeVisible();
      await expect(
        page.getByText(
          "Promo code premium3 is saved. It gives you CSV + Banking free for 3 months. You apply it after signing up.",
        ),
      ).toBeVisible();
      await register(page);

      await expect(page).toHaveURL(
        /^[^?]+\/subscription\?plan=prod_csv_banking&billing=monthly&promo=premium3$/,
      );
      await expect(page.getByRole("heading", { name: "PREMIUM3 is ready" })).toBeVisible();
      const chosen = page.getByRole("region", { name: "CSV + Banking" });
      await expect(chosen.getByText("$4.99 a month", { exact: true })).toBeVisible();
      await expect(page.getByRole("textbox", { name: "Promo code" })).toHaveValue("premium3");
      await page.getByRole("button", { name: "Apply code" }).click();
      await expect(page.getByText("Promo code applied. PREMIUM3 gives you CSV + Banking")).toBeVisible();
    });
  });
}

test("a code that is no code is shown as the text it is", async ({ page }) => {
  await page.goto(`/pricing?promo=${encodeURIComponent("<b>x</b>\"'&billing=")}`);
  await expect(page.getByText("Invalid or expired promo code")).toBeVisible();
  await expect(page.getByText(`We can’t take <b>x</b>"'&billing=.`)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Promo code" })).toHaveValue(`<b>x</b>"'&billing=`);
  await page.goto("/pricing?promo=%20%20");
  await expect(page.getByText("is saved")).toHaveCount(0);
});
