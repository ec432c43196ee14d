import { expect, test } from "./fixtures.ts";
import { ACCOUNT_PAGES, expectSound } from "./looks.ts";

test("a photo that cannot be loaded leaves the letter", async ({ page, openSignedIn }) => {
  await page.route("https://photos.example/**", (route) => route.abort());
  await openSignedIn("/account");
  await page.getByText("Use a photo from a link").click();
  await page.getByLabel("Photo link").fill("https://photos.example/gone.jpg");
  await page.getByRole("button", { name: "Save the link" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  const photo = page.getByRole("banner").locator(".photo");
  const withBroken = await photo.screenshot();
  await page.getByLabel("Photo link").fill("");
  await page.getByRole("button", { name: "Save the link" }).click();
  await expect(page.locator(".photo img")).toHaveCount(0);
  expect(withBroken.equals(await photo.screenshot())).toBe(true);
});

test("a button that leads to another page says so, and cannot be pressed twice", async ({
  page,
  openSignedIn,
}) => {
  await openSignedIn("/account");
  let sent = 0;
  let goOn = () => {};
  const wait = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route("**/verify-email/sent.data", async (route) => {
    if (route.request().method() === "POST") sent++;
    await wait;
    await route.continue();
  });
  await page.getByRole("button", { name: "Send the email again" }).click();
  const pending = page.getByRole("button", { name: "Sending…" });
  await expect(pending).toHaveAttribute("aria-disabled", "true");
  // Playwright itself would wait for it.
  await pending.click({ force: true });
  goOn();
  await expect(page).toHaveURL("/verify-email/sent");
  expect(sent).toBe(1);
});

test("while the network is away a form of the account keeps what was typed", async ({
  page,
  context,
  openSignedIn,
}) => {
  await openSignedIn("/account");
  await page.getByLabel("Name").fill("Countess Lovelace");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("We couldn’t reach the site");
  await expect(page.getByLabel("Name")).toHaveValue("Countess Lovelace");
});

test.describe("accessible", () => {
  test("every page of the account is sound, with what can go wrong and with a long name", async ({
    page,
    context,
    server,
    openSignedIn,
  }) => {
    test.slow();
    const { email } = await openSignedIn("/account");
    await expectSound(page);
    await page.getByLabel("Name").fill("Wolfeschlegelsteinhausenbergerdorff".repeat(2));
    await page.getByText("Use a photo from a link").click();
    await page.getByLabel("Photo link").fill("ada.jpg");
    await page.getByRole("button", { name: "Save the link" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await expectSound(page);
    await page.getByLabel("Photo link").fill("");
    await page.getByRole("button", { name: "Save the link" }).click();
    await expect(page.getByText("Saved.")).toBeVisible();
    await expectSound(page);
    await server.pool.query(
      `INSERT INTO account (id, account_id, provider_id, user_id)
       SELECT gen_random_uuid(), gen_random_uuid(), 'google', id FROM "user" WHERE email = $1`,
      [email],
    );
    for (const path of [
      "/account/confirm",
      ...ACCOUNT_PAGES,
      "/account/email?sent=1",
      "/account/email/changed",
      "/account/email/confirm?token=dead",
    ]) {
      await page.goto(path);
      await expectSound(page);
    }
    await page.goto("/account/delete");
    await page.getByLabel("Your email address").fill("somebody@example.com");
    await page.getByRole("button", { name: "Delete my account" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await expectSound(page);
    await context.clearCookies();
    for (const path of ["/account/deleted", "/account/deleted?unsure=1"]) {
      await page.goto(path);
      await expectSound(page);
    }
  });
});
