import type { Page, Route } from "@playwright/test";
import { expect, test } from "./fixtures.ts";

/**
 * Answers once in the server's stead. The route stays, because Chromium now and then loses a request that is on its way
 * while the last route goes.
 */
async function answerInstead(
  page: Page,
  url: string | RegExp,
  answer: Parameters<Route["fulfill"]>[0] & object,
) {
  let isAnswered = false;
  await page.route(url, async (route) => {
    if (isAnswered) return route.fallback();
    isAnswered = true;
    await route.fulfill({ contentType: "text/plain", body: "Not now", ...answer });
  });
}

test("a form that something else than the site answers keeps what was typed, and is sent once", async ({
  page,
  server,
  openSignedIn,
}) => {
  await openSignedIn("/subscription");
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") posts.push(new URL(request.url()).pathname);
  });
  const uses = async () =>
    (await server.pool.query("SELECT sum(used_count)::int AS uses FROM promo_codes")).rows[0].uses;
  const before = await uses();
  const box = page.getByRole("textbox", { name: "Promo code" });
  const check = page.getByRole("button", { name: "See what it gives me" });

  // A process that is starting, or a proxy without one.
  for (const status of [502, 503]) {
    await box.fill("premium3");
    await answerInstead(page, "**/subscription.data*", { status });
    await check.click();
    await expect(box).toHaveAccessibleDescription("Failed to apply promo code. Please try again.");
    await expect(box).toHaveValue("premium3");
    expect(posts.splice(0)).toEqual(["/subscription.data"]);
  }
  expect(await uses()).toBe(before);

  await check.click();
  await expect(page.getByText("It gives you CSV + Banking until")).toBeVisible();
  expect(posts.splice(0)).toEqual(["/subscription.data"]);
});

test("what answers in the site’s stead is never shown as what a code would do", async ({
  page,
  openSignedIn,
}) => {
  await openSignedIn("/subscription");
  const box = page.getByRole("textbox", { name: "Promo code" });
  const body = JSON.stringify({ news: "from something else" });
  await answerInstead(page, "**/promo/check.data?*", { contentType: "application/json", body });
  await box.fill("premium3");
  const answered = page.waitForResponse("**/promo/check.data?*");
  await box.press("Tab");
  await (await answered).finished();
  await box.focus();
  await box.press("Tab");
  await expect(page.getByText("It gives you CSV + Banking until")).toBeVisible();
  await expect(page.getByText("from something else")).toHaveCount(0);
  await expect(box).toHaveValue("premium3");
});
