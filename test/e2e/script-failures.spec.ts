import { control } from "../http.ts";
import { verify } from "../users.ts";
import { choosePremium, dayIn, expect, test } from "./fixtures.ts";

/** What a hydrated page does when what it asks for does not come, or comes for something that has changed meanwhile. */

test("a passkey’s question that does not arrive is said, and the next press asks it", async ({
  page,
  server,
  openSignedIn,
  plugInKey,
}) => {
  await page.route("**/auth/passkey-options", (route) => route.abort());
  await verify(server, await openSignedIn("/account"));
  await page.goto("/account/second-factor/passkey");
  await page.getByLabel("Name").fill("The blue key");
  const create = page.getByRole("button", { name: "Create the passkey" });
  await create.click();
  await expect(page.getByRole("alert")).toHaveText(
    "We couldn’t reach the site. Check your connection and try again.",
  );
  await expect(page.getByLabel("Name")).toHaveValue("The blue key");

  await page.unroute("**/auth/passkey-options");
  await plugInKey();
  await create.click();
  await expect(page.getByRole("heading", { name: "Recovery codes" })).toBeVisible();
});

test("a code that is typed back is looked at anew, and the question about another one is given up", async ({
  page,
  openSignedIn,
  browserName,
}) => {
  test.skip(browserName === "firefox", "WebDriver BiDi says nothing of a held request that is given up");
  await openSignedIn("/test-promo");
  const box = page.getByRole("textbox", { name: "Promo code" });
  const welcome = page.getByText(
    `It gives you CSV Only until ${dayIn(1)}, plus the days until CSV Processing opens.`,
  );
  await box.fill("welcome");
  await box.press("Tab");
  await expect(welcome).toBeVisible();
  // A letter more, and the letter taken back.
  await box.fill("welcomes");
  await expect(welcome).toHaveCount(0);
  await box.fill("welcome");
  await box.press("Tab");
  await expect(welcome).toBeVisible();

  // The first one stands there again before there is an answer about another code.
  const other = "**/promo/check.data?code=premium3&*";
  await page.route(other, () => {});
  const asked = page.waitForRequest(other);
  await box.fill("premium3");
  await box.press("Tab");
  await asked;
  const givenUp = page.waitForEvent("requestfailed", (request) => request.url().includes("premium3"));
  await box.fill("welcome");
  await box.press("Tab");
  await expect(welcome).toBeVisible();
  await givenUp;
});

test("a page that waits for a payment says so when its last look gets no answer", async ({
  page,
  server,
  openSignedIn,
}) => {
  await openSignedIn("/subscription");
  await choosePremium(page);
  await control(server, { webhooks: "hold", api: "down" });
  try {
    await page.clock.install();
    // Its first look shows that the page is hydrated: time that passes before that is not counted as waiting.
    const firstLook = page.waitForResponse(/dashboard\.data/);
    await page.getByRole("button", { name: "Pay $49.99" }).click();
    await expect(page.getByText("Confirming your payment…")).toBeVisible();
    await firstLook;
    const anything = /\/(readyz|dashboard)/;
    await page.route(anything, (route) => route.abort());
    const asked = page.waitForRequest(anything);
    await page.clock.fastForward("11:00");
    await asked;
    await expect(page.getByText("Your payment isn’t confirmed yet")).toBeVisible();
    await expect(page.getByText("Confirming your payment…")).toHaveCount(0);
    await page.unroute(anything);
    await control(server, { api: "up" });
    // On a busy machine Stripe's answer can come after the page.
    const thanks = page.getByText("Payment received, thank you.");
    const checkAgain = page.getByRole("link", { name: "Check again" });
    await expect(async () => {
      await checkAgain.click();
      await expect(thanks).toBeVisible({ timeout: 10_000 });
    }).toPass();
  } finally {
    await control(server, { webhooks: "deliver", api: "up" });
  }
});

test("a page that waits for a payment stops looking when it is left", async ({
  page,
  server,
  openSignedIn,
}) => {
  await openSignedIn("/subscription");
  await choosePremium(page);
  await control(server, { webhooks: "hold", api: "down" });
  try {
    await page.clock.install();
    const left = Promise.withResolvers<void>();
    let looks = 0;
    await page.route("/readyz", async (route) => {
      looks++;
      await left.promise;
      await route.fulfill();
    });
    const asked = page.waitForRequest("/readyz");
    await page.getByRole("button", { name: "Pay $49.99" }).click();
    await asked;
    await page.getByRole("banner").getByRole("link", { name: "Account" }).click();
    await expect(page).toHaveURL("/account");
    left.resolve();
    for (let minute = 0; minute < 5; minute++) await page.clock.runFor("01:00");
    expect(looks).toBe(1);
  } finally {
    await control(server, { webhooks: "deliver", api: "up" });
  }
});
