import type { Page } from "@playwright/test";
import { signInAgain } from "../users.ts";
import { expect, test } from "./fixtures.ts";

/**
 * Pages that were loaded before a deploy: what they fetch comes from a server of another build, whose data may have another shape.
 */

/** Opens a page as a server of an older build has rendered it. */
async function openOld(page: Page, path: string) {
  let isOld = true;
  // Not `times: 1`: the end of the interception can lose a request of the page that is on its way.
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (!isOld) return route.continue();
      isOld = false;
      const response = await route.fetch();
      const body = await response.text();
      const [, build = ""] = /data-build="(\w+)"/.exec(body) ?? [];
      // The scripts are those of this build: they must not be fetched by a name that no file has.
      await route.fulfill({
        response,
        body: body.replaceAll(new RegExp(`(?<!manifest-)${build}`, "g"), "older"),
      });
    },
  );
  await page.goto(path);
  await page.locator("html[data-build=older][data-hydrated]").waitFor();
}

const current = (page: Page) => page.locator("html[data-build]:not([data-build=older])");

test("an old page loads the next one as a document", async ({ page, openSignedIn }) => {
  await openSignedIn("/dashboard");
  await openOld(page, "/account");
  await page.getByRole("link", { name: "Change email address" }).click();
  await expect(page).toHaveURL("/account/email");
  await expect(current(page)).toBeVisible();
  await expect(page.getByLabel("New email address")).toBeVisible();
});

test("a form of an old page is carried out once, and answered by a document with what was typed", async ({
  page,
  server,
  openSignedIn,
}) => {
  const { id } = await openSignedIn("/dashboard");
  const posts: string[] = [];
  page.on("response", (response) => {
    if (response.request().method() === "POST")
      posts.push(`${new URL(response.url()).pathname} ${response.status()}`);
  });

  await openOld(page, "/account");
  await page.getByLabel("Name").fill("Grace Hopper");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL("/account?changed=profile");
  await expect(current(page)).toBeVisible();
  expect(posts.splice(0)).toEqual(["/account.data 412", "/account 303"]);
  const { rows } = await server.pool.query(`SELECT name FROM "user" WHERE id = $1`, [id]);
  expect(rows).toEqual([{ name: "Grace Hopper" }]);

  await openOld(page, "/account");
  const box = page.getByLabel("Photo link");
  await page.getByText("Use a photo from a link").click();
  await box.fill("http://photos.example/grace.jpg");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(current(page)).toBeVisible();
  await expect(box).toHaveValue("http://photos.example/grace.jpg");
  await expect(box).toHaveAttribute("aria-invalid", "true");

  // By a fetcher, with the button that was pressed.
  await openOld(page, "/subscription");
  posts.splice(0);
  await page.getByRole("textbox", { name: "Promo code" }).fill("premium3");
  await page.getByRole("button", { name: "See what it gives me" }).click();
  await expect(current(page)).toBeVisible();
  await expect(page.getByText("It gives you CSV + Banking until")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Promo code" })).toHaveValue("premium3");
  expect(posts).toEqual(["/subscription.data 412", "/subscription 303"]);
});

test("a line that an old page took away at the press is gone in the document that answers", async ({
  page,
  server,
  openSignedIn,
}) => {
  const { email } = await openSignedIn("/dashboard");
  await signInAgain(server, email);
  await openOld(page, "/account/sessions");
  await page
    .getByRole("button", { name: /^Sign out (?!all)/ })
    .first()
    .click();
  await expect(page).toHaveURL("/account/sessions?ended=1");
  await expect(current(page)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Sign out/ })).toHaveCount(0);
});
