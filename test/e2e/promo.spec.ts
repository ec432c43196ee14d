import type { Page } from "@playwright/test";
import type { TestServer } from "../server.ts";
import { createPerson } from "../users.ts";
import { dayIn, endingText, expect, factsOf, signIn, test } from "./fixtures.ts";

/** Nothing is open yet: what is given gets the days it waits. */
const endIn = (months: number) => `${dayIn(months)}, plus the days until CSV Processing opens`;

const apply = (page: Page) => page.getByRole("button", { name: "Apply code" }).click();
const box = (page: Page) => page.getByRole("textbox", { name: "Promo code" });

async function usesOf({ pool }: TestServer, code: string): Promise<number> {
  const { rows } = await pool.query("SELECT used_count FROM promo_codes WHERE code = $1", [code]);
  return rows[0].used_count;
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("PREMIUM3 is redeemed, leads to the dashboard after two seconds, and only counts once", async ({
      page,
      server,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription?promo=PREMIUM3");
      await expect(box(page)).toHaveValue("PREMIUM3");
      const before = await usesOf(server, "PREMIUM3");
      await apply(page);
      await expect(
        page.getByText(`Promo code applied. PREMIUM3 gives you CSV + Banking until ${endIn(3)}.`),
      ).toBeVisible();
      const shown = Date.now();
      await page.waitForURL("/dashboard");
      const waited = Date.now() - shown;
      expect(waited).toBeGreaterThan(1_500);

      const facts = {
        Status: "Active",
        Plan: "CSV + Banking",
        Tier: "premium",
        From: "promo code PREMIUM3",
        Expires: expect.stringMatching(endingText(endIn(3))),
        Features: "CSV Processing\nBanking API",
      };
      expect(await factsOf(page, "Your subscription")).toEqual(facts);
      expect(await usesOf(server, "PREMIUM3")).toBe(before + 1);

      await page.goto("/subscription?promo=PREMIUM3");
      await apply(page);
      await expect(page.getByText("You’ve already applied this code.")).toBeVisible();
      expect(await usesOf(server, "PREMIUM3")).toBe(before + 1);
      await page.waitForURL("/dashboard");
      expect(await factsOf(page, "Your subscription")).toEqual(facts);
    });

    test("on a phone, what the code gave stands in view in place of its form", async ({
      page,
      openSignedIn,
    }) => {
      await page.setViewportSize({ width: 390, height: 700 });
      await openSignedIn("/subscription");
      await box(page).fill("PREMIUM3");
      await apply(page);
      await expect(page.getByText("Promo code applied. PREMIUM3 gives you")).toBeInViewport({ ratio: 1 });
      await expect(box(page)).toHaveCount(0);
      await page.waitForURL("/dashboard");
    });

    test("what is refused says so beside the field and keeps what was typed", async ({
      page,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription");
      for (const [code, message] of [
        ["   ", "Please enter a promo code"],
        ["NOSUCH", "Invalid or expired promo code"],
        ["EXPIRED", "Invalid or expired promo code"],
        ["USEDUP", "Invalid or expired promo code"],
      ] as const) {
        await box(page).fill(code);
        await apply(page);
        await expect(box(page)).toHaveAccessibleDescription(message);
        if (code.trim()) await expect(box(page)).toHaveValue(code);
      }
      await page.goto("/dashboard");
      await expect(page.getByText("No active subscription found.")).toBeVisible();
    });

    test("the last use of a code goes to one person, the next is told it is gone", async ({
      page,
      browser,
      server,
      openSignedIn,
    }) => {
      await server.pool.query(
        "INSERT INTO promo_codes (code, tier, duration_type, max_uses) VALUES ($1, 'basic', 'months', 1)",
        [`LAST${javaScriptEnabled}`.toUpperCase()],
      );
      const other = await browser.newPage({ baseURL: server.origin, javaScriptEnabled });
      await signIn(other.context(), server, await createPerson(server.pool));
      await other.goto(`/subscription?promo=last${javaScriptEnabled}`);
      await openSignedIn(`/subscription?promo=last${javaScriptEnabled}`);
      await apply(page);
      await expect(page.getByText("Promo code applied.")).toBeVisible();
      await apply(other);
      await expect(box(other)).toHaveAccessibleDescription("Invalid or expired promo code");
      await other.close();
    });

    test("what a code would do is read before it is applied, and looking uses nothing", async ({
      page,
      server,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription?promo=welcome");
      const before = await usesOf(server, "PREMIUM3");
      await expect(page.getByRole("heading", { name: "WELCOME is ready" })).toBeVisible();
      await expect(page.getByText(`It gives you CSV Only until ${endIn(1)}. It starts today.`)).toBeVisible();
      await box(page).fill("premium3");
      await page.getByRole("button", { name: "See what it gives me" }).click();
      await expect(page.getByText(`It gives you CSV + Banking until ${endIn(3)}.`)).toBeVisible();
      await expect(box(page)).toHaveValue("premium3");
      await box(page).fill("nosuch");
      await page.getByRole("button", { name: "See what it gives me" }).click();
      await expect(page.getByText("Invalid or expired promo code")).toBeVisible();
      await expect(page.getByText("It gives you CSV + Banking until")).toHaveCount(0);
      expect(await usesOf(server, "PREMIUM3")).toBe(before);
    });

    test("checking a code after signing out elsewhere leads to signing in, and the code is still there", async ({
      page,
      context,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription");
      await context.clearCookies();
      await box(page).fill("WELCOME");
      await page.getByRole("button", { name: "See what it gives me" }).click();
      await expect(page.getByText("User must be logged in to apply a promo code")).toBeVisible();
      const returnTo = encodeURIComponent("/subscription?promo=WELCOME");
      await expect(page).toHaveURL(`/login?return_to=${returnTo}&reason=promo`);
    });

    test("a session that ended meanwhile leads to signing in, and the code is still there", async ({
      page,
      context,
      openSignedIn,
    }) => {
      const { email } = await openSignedIn("/subscription");
      await context.clearCookies();
      await box(page).fill("WELCOME");
      await apply(page);
      await expect(page.getByText("User must be logged in to apply a promo code")).toBeVisible();
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("main").getByRole("button", { name: "Login" }).click();
      await expect(page).toHaveURL("/subscription?promo=WELCOME");
      await expect(box(page)).toHaveValue("WELCOME");
    });
  });
}

test("with JavaScript a code is looked at when its box is left, and again for another plan", async ({
  page,
  openSignedIn,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.startsWith("/promo/check"))
      asked.push(`${searchParams.get("code")} ${searchParams.get("tier")}`);
  });
  await openSignedIn("/test-promo");
  await box(page).fill("welcome");
  await box(page).press("Tab");
  await expect(page.getByText(`It gives you CSV Only until ${endIn(1)}. It starts today.`)).toBeVisible();
  await page.getByRole("radio", { name: "CSV + Banking" }).check();
  await expect(
    page.getByText(`It gives you CSV + Banking until ${endIn(1)}. It starts today.`),
  ).toBeVisible();
  // Half a code says nothing, and neither does a press of the button beside it.
  await box(page).fill("premium");
  await expect(page.getByText("WELCOME is good")).toHaveCount(0);
  await box(page).fill("premium3");
  await apply(page);
  await expect(page.getByText("Promo code applied.")).toBeVisible();
  expect(asked).toEqual(["welcome basic", "welcome premium"]);
});

test("two codes: the better one is in force, and it says from when on the other is", async ({
  page,
  server,
  openSignedIn,
}) => {
  await server.pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ('LOWER6', 'basic', 'months', 6)",
  );
  await openSignedIn("/subscription?promo=lower6");
  await apply(page);
  await page.waitForURL("/dashboard");
  await page.goto("/subscription?promo=premium3");
  await expect(
    page.getByText(
      `You have CSV Only until ${endIn(6)}. This code gives you CSV + Banking until ${endIn(3)}.`,
    ),
  ).toBeVisible();
  await apply(page);
  await page.waitForURL("/dashboard");
  expect(await factsOf(page, "Your subscription")).toMatchObject({ From: "promo code PREMIUM3" });
  const waits = `CSV Only from promo code LOWER6: yours when CSV + Banking ends, until ${endIn(6)}.`;
  await expect(page.getByText(waits)).toBeVisible();
  await page.goto("/subscription");
  await expect(page.getByText(waits)).toBeVisible();
});

test("without a tier of its own the code gives the one that was chosen", async ({ page, openSignedIn }) => {
  await openSignedIn("/subscription?promo=welcome");
  await expect(page.getByRole("radio", { name: "CSV Only" })).toBeChecked();
  await page.getByRole("radio", { name: "CSV + Banking" }).check();
  await apply(page);
  await page.waitForURL("/dashboard");
  expect(await factsOf(page, "Your subscription")).toMatchObject({
    Plan: "CSV + Banking",
    Tier: "premium",
    Expires: expect.stringMatching(endingText(dayIn(1))),
  });
});

test("a code that would only follow is asked about first, in a notice that gets the focus", async ({
  page,
  server,
  openSignedIn,
}) => {
  await server.pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ('FOLLOWS', 'basic', 'months', 6)",
  );
  await openSignedIn("/test-promo?promo=premium3");
  await apply(page);
  await expect(page.getByText("Promo code applied.")).toBeVisible();
  await box(page).fill("follows");
  await apply(page);
  const asked = page.locator(":focus");
  await expect(asked).toContainText("FOLLOWS wasn’t applied.");
  await expect(asked).toContainText(
    `You have CSV + Banking until ${endIn(3)}. This code gives you CSV Only until ${endIn(6)}. Its time starts today, but you’d only use it after CSV + Banking ends.`,
  );
  await expect(box(page)).toHaveValue("follows");
  expect(await usesOf(server, "FOLLOWS")).toBe(0);
  await page.getByRole("button", { name: "Apply it anyway" }).click();
  await expect(page.getByText("Promo code applied. FOLLOWS gives you CSV Only until")).toBeVisible();
  expect(await usesOf(server, "FOLLOWS")).toBe(1);
});

test("/test-promo shows the subscription in full, one second after the code was redeemed", async ({
  page,
  openSignedIn,
}) => {
  await openSignedIn("/test-promo");
  await expect(page.getByText("No active subscription found.")).toBeVisible();
  await box(page).fill("forever");
  await apply(page);
  await expect(page.getByText("Promo code applied.")).toBeVisible();
  const shown = Date.now();
  await expect(page.getByText("No active subscription found.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Current subscription" })).toContainText("FOREVER");
  expect(Date.now() - shown).toBeGreaterThan(500);
  expect(await factsOf(page, "Current subscription")).toEqual({
    Status: "active",
    Tier: "premium (CSV + Banking API)",
    Source: "promo",
    "Promo code": "FOREVER",
    Created: dayIn(0),
    Expires: "Never expires",
    Features: "CSV Processing, Banking API",
  });
  await expect(page).toHaveURL("/test-promo");
  await expect(page.getByText(/FOREVER gives you .*\. Never expires\.$/)).toBeVisible();
  const reloads: string[] = [];
  page.on(
    "request",
    (request) => new URL(request.url()).pathname.endsWith(".data") && reloads.push(request.url()),
  );
  await page.goto("/test-promo?redeemed=FOREVER");
  await page.waitForTimeout(3_500);
  expect(reloads).toHaveLength(1);
  await page.goto("/dashboard");
  expect(await factsOf(page, "Your subscription")).toMatchObject({ Expires: "Never expires" });
});

test("a failure of ours is said in the spec's words, and the code works once it is over", async ({
  page,
  server,
  openSignedIn,
}) => {
  await openSignedIn("/subscription?promo=WELCOME");
  for (const table of ["grants", "session"]) {
    await server.pool.query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    await apply(page);
    await expect(box(page)).toHaveAccessibleDescription("Failed to apply promo code. Please try again.");
    await expect(box(page)).toHaveValue("WELCOME");
    await server.pool.query(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    await page.reload();
  }
  await apply(page);
  await expect(page.getByText("Promo code applied.")).toBeVisible();
});

test("while the network is away the page and what was typed stay, and it works once it is back", async ({
  page,
  context,
  openSignedIn,
}) => {
  await openSignedIn("/subscription?promo=WELCOME");
  await expect(box(page)).toHaveValue("WELCOME");
  await context.setOffline(true);
  await apply(page);
  await expect(box(page)).toHaveAccessibleDescription("Failed to apply promo code. Please try again.");
  await expect(box(page)).toHaveValue("WELCOME");
  await context.setOffline(false);
  await apply(page);
  await expect(page.getByText("Promo code applied.")).toBeVisible();
  await page.waitForURL("/dashboard");
});
