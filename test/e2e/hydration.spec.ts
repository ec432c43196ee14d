import type { Page } from "@playwright/test";
import { createPerson, PASSWORD } from "../users.ts";
import { expect, signIn, test } from "./fixtures.ts";

/** What a page does while its scripts load, and when they are no longer there. */

const SCRIPTS = "**/assets/*.js";

/** Keeps the page's scripts back. @returns lets them come, and waits until React runs */
async function holdScripts(page: Page): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(SCRIPTS, (route) => released.then(() => route.continue()));
  return async () => {
    release();
    await page.locator("html[data-hydrated]").waitFor();
  };
}

test("what is typed and chosen while the scripts load stays, and is what is sent", async ({
  page,
  server,
  context,
}) => {
  const person = await createPerson(server.pool);
  const comeIn = await holdScripts(page);
  await page.goto("/login?return_to=%2Faccount", { waitUntil: "commit" });
  await page.getByLabel("Email address").fill(person.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await comeIn();
  await expect(page.getByLabel("Email address")).toHaveValue(person.email);
  await expect(page.getByLabel("Password")).toHaveValue(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await expect(page).toHaveURL("/account");

  await page.unroute(SCRIPTS);
  await context.clearCookies();
  await signIn(context, server, person);
  const comeInAgain = await holdScripts(page);
  await page.goto("/subscription", { waitUntil: "commit" });
  await page.getByRole("textbox", { name: "Promo code" }).fill("welcome");
  await page.getByRole("radio", { name: "CSV + Banking (CSV + Banking API)" }).check();
  await page.getByText("Monthly", { exact: true }).click();
  await comeInAgain();
  await expect(page.getByRole("textbox", { name: "Promo code" })).toHaveValue("welcome");
  await expect(page.getByRole("radio", { name: "CSV + Banking (CSV + Banking API)" })).toBeChecked();
  await expect(page.getByRole("button", { name: "Choose CSV Only, monthly" })).toBeVisible();
  await page.getByRole("button", { name: "See what it gives me" }).click();
  await expect(page.getByText("It gives you CSV + Banking until")).toBeVisible();
});

test("a button pressed while the scripts load does its work as a document", async ({
  page,
  server,
  context,
}) => {
  const person = await createPerson(server.pool);
  await signIn(context, server, person);
  const comeIn = await holdScripts(page);
  await page.goto("/account", { waitUntil: "commit" });
  await page.getByLabel("Name").fill("Grace Hopper");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL("/account?changed=profile");
  await comeIn();
  await expect(page.getByLabel("Name")).toHaveValue("Grace Hopper");
});

test("a page of a release whose files are gone is loaded anew at the first press, and goes on with the next", async ({
  context,
  server,
}) => {
  await signIn(context, server, await createPerson(server.pool));
  // React Router says in the console what it could not load: this page may complain.
  const page = await context.newPage();
  await page.goto("/account");
  await page.locator("html[data-hydrated]").waitFor();
  await page.route(SCRIPTS, (route) => route.fulfill({ status: 404, body: "" }));
  await page.evaluate(() => {
    document.body.dataset.old = "";
  });
  const change = page.getByRole("link", { name: "Change email address" });
  await change.click();
  await expect(page.locator("body[data-old]")).toHaveCount(0);
  await page.unroute(SCRIPTS);
  await page.reload();
  await change.click();
  await expect(page).toHaveURL("/account/email");
});

test("Back after signing out shows nothing of the account", async ({ page, openSignedIn }) => {
  const { email } = await openSignedIn("/account");
  await page.getByRole("link", { name: "Dashboard" }).first().click();
  await expect(page).toHaveURL("/dashboard");
  await page.getByRole("navigation").getByRole("button", { name: "Sign Out" }).click();
  await expect(page).toHaveURL("/");
  await page.goBack();
  await expect(page).toHaveURL(/\/login/);
  await expect(page.getByText(email)).toHaveCount(0);
});

test("the title follows from page to page, and none asks to be indexed", async ({
  page,
  server,
  context,
}) => {
  await signIn(context, server, await createPerson(server.pool));
  await page.goto("/account");
  await page.locator("html[data-hydrated]").waitFor();
  const robots = page.locator('head meta[name="robots"]');
  for (const [link, title] of [
    ["Dashboard", "Dashboard · Ownwords"],
    ["Account", "Your account · Ownwords"],
  ] as const) {
    await page.evaluate(() => document.documentElement.setAttribute("data-same", ""));
    await page.getByRole("banner").getByRole("link", { name: link }).first().click();
    await expect(page).toHaveTitle(title);
    await expect(page.locator("html[data-same]"), "by the router").toHaveCount(1);
    await expect(page.locator("head title")).toHaveCount(1);
    await expect(robots).toHaveCount(1);
    await expect(robots).toHaveAttribute("content", "noindex");
  }
});
