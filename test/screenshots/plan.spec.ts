import { expect, signIn, test } from "../e2e/fixtures.ts";
import { openPayer, PLAN_STATES } from "../plan-states.ts";
import { camera } from "./camera.ts";

const PAGES = [
  "/dashboard",
  "/subscription",
  "/subscription/cancel",
  "/subscription/change",
  "/subscription/change?price=price_csv_banking_yearly",
  "/subscription/change?price=price_csv_only_monthly",
  "/subscription/refund",
  "/subscription/withdraw",
  "/subscription/invoices",
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const [width, height] of [
    [390, 844],
    [1280, 800],
  ] as const) {
    test.describe(`${colorScheme} ${width}`, () => {
      test.use({
        colorScheme,
        viewport: { width, height },
        contextOptions: { reducedMotion: "reduce" },
      });

      test("a paid plan, in each of its states", async ({ page, server, context }) => {
        test.setTimeout(180_000);
        const shoot = camera(page, `${colorScheme}-${width}/plan`, width);
        const payer = await openPayer(server, "price_csv_only_yearly");
        await signIn(context, server, payer);
        for (const path of PAGES) {
          await page.goto(path);
          await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
          await shoot(path.replace("/subscription/", "plan-"));
        }
        await page.goto("/subscription/withdraw");
        await page.getByRole("button", { name: "Withdraw from contract here" }).click();
        await expect(page.getByRole("heading", { name: "Confirm your withdrawal" })).toBeVisible();
        await shoot("withdraw-confirm");
        await page.goto("/subscription/cancel");
        for (const [state, set] of Object.entries(PLAN_STATES)) {
          await set(server.pool, payer);
          for (const path of ["/dashboard", "/subscription"]) {
            await page.goto(path);
            await shoot(`${state}${path}`);
          }
        }
      });

      test("choosing a plan", async ({ page, openSignedIn }) => {
        test.setTimeout(60_000);
        const shoot = camera(page, `${colorScheme}-${width}/choosing`, width);
        await openSignedIn("/subscription?plan=prod_csv_banking&billing=annual");
        await shoot("chosen");
        await page.getByText("Other plans and periods").click();
        await shoot("chosen-others");
        await page.goto("/subscription?promo=PREMIUM3");
        await shoot("code-ready");
        await page.goto("/subscription");
        await page.getByRole("button", { name: "Choose CSV Only, yearly" }).click();
        await page.getByRole("button", { name: "Cancel and go back" }).click();
        await expect(page.getByText("Nothing was charged.")).toBeVisible();
        await shoot("back-unpaid");
        await page.goto("/subscription?promo=PREMIUM3");
        await page.getByRole("button", { name: "Apply code" }).click();
        await page.waitForURL("/dashboard");
        await page.goto("/subscription");
        await shoot("promo-holder");
      });
    });
  }
}
