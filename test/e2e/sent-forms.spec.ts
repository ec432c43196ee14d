import type { Page, Route } from "@playwright/test";
import { createPerson, PASSWORD } from "../users.ts";
import { expect, signIn, test } from "./fixtures.ts";

/**
 * Answers once in the server's stead. The route stays, because Chromium now and then loses a request that is on its way
 * while the last route goes.
 */
async function answerInstead(
  page: Page,
  url: string | RegExp,
  { contentType = "text/plain", body = "Not now", ...answer }: Parameters<Route["fulfill"]>[0] & object,
) {
  let isAnswered = false;
  await page.route(url, async (route) => {
    if (isAnswered) return route.fallback();
    isAnswered = true;
    await route.fulfill({ contentType, body, ...answer });
  });
}

test("what somebody else answers to a form never makes it another one", async ({
  page,
  server,
  openSignedIn,
}) => {
  await openSignedIn("/subscription");
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "POST") return;
    const intent = new URLSearchParams(request.postData() ?? "").get("intent");
    posts.push(`${intent} at ${new URL(request.url()).pathname}`);
  });
  const uses = async () =>
    (await server.pool.query("SELECT sum(used_count)::int AS uses FROM promo_codes")).rows[0].uses;
  const before = await uses();
  const box = page.getByRole("textbox", { name: "Promo code" });
  const check = page.getByRole("button", { name: "Check first" });

  // A process that is starting, or a proxy without one: what was typed stays, and nothing is sent again.
  await box.fill("premium3");
  await answerInstead(page, /promo.redeem/, { status: 503 });
  await check.click();
  await expect(box).toHaveAccessibleDescription("Failed to apply promo code. Please try again.");
  await expect(box).toHaveValue("premium3");
  expect(posts.splice(0)).toEqual(["check at /promo/redeem"]);

  // Refused without a page: the browser sends the same itself, with the button that was pressed.
  await answerInstead(page, /promo.redeem/, { status: 403 });
  await check.click();
  await expect(page.getByText("It gives you CSV + Banking until")).toBeVisible();
  expect(posts.splice(0)).toEqual(["check at /promo/redeem", "check at /subscription"]);

  // A process of a release before the form had an address of its own: the page it is on takes it.
  await box.fill("no such code");
  await answerInstead(page, /promo.redeem/, { status: 404 });
  await page.getByRole("button", { name: "Apply code" }).click();
  await expect(box).toHaveAccessibleDescription("Invalid or expired promo code");
  expect(posts.splice(0)).toEqual(["null at /promo/redeem", "null at /subscription"]);
  expect(await uses()).toBe(before);
});

test("a redirect, as releases without this script answer, loads the page it leads to", async ({
  page,
  context,
  server,
  open,
}) => {
  await open("/login");
  const person = await createPerson(server.pool);
  await page.route("**/login", (route) => {
    const { "x-sent-by-script": _, ...headers } = route.request().headers();
    return route.continue({ headers });
  });
  await page.getByLabel("Email address").fill(person.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await expect(page).toHaveURL("/dashboard");

  // To another origin, which `fetch` may not follow.
  await signIn(context, server, person);
  await open("/account");
  await page.evaluate(() => {
    document.body.dataset.old = "";
  });
  await answerInstead(page, page.url(), { status: 303, headers: { Location: "https://pay.example/" } });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.locator("body[data-old]")).toHaveCount(0);
  await expect(page).toHaveURL("/account");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("what is no part of a page is never shown as what a code would do", async ({ page, openSignedIn }) => {
  await openSignedIn("/subscription");
  const box = page.getByRole("textbox", { name: "Promo code" });
  // As releases before this script answer, which may still run beside this one during an upgrade.
  const body = JSON.stringify({ news: "from another release" });
  await answerInstead(page, "**/promo/check?*", { contentType: "application/json", body });
  await box.fill("premium3");
  const answered = page.waitForResponse("**/promo/check?*");
  await box.press("Tab");
  await (await answered).finished();
  await box.focus();
  await box.press("Tab");
  await expect(page.getByText("It gives you CSV + Banking until")).toBeVisible();
  await expect(page.getByText("from another release")).toHaveCount(0);
});
