import type { Page } from "@playwright/test";
import { mailTo } from "../mail.ts";
import { appOf, forgetCodes, setUpApp } from "../second-factor.ts";
import { verify } from "../users.ts";
import { expect, PASSWORD, signIn, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";
import { openPopup } from "./provider-sign-in.ts";

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

const line = (page: Page, name: string) =>
  page.locator(".account-line").filter({ has: page.locator("dt", { hasText: name }) });

async function login(page: Page, email: string): Promise<void> {
  await page.goto("/login?return_to=/account");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("an app is set up, asked for at the next login, and a recovery code does when it is lost", async ({
      page,
      context,
      server,
      openSignedIn,
    }) => {
      const person = await openSignedIn("/account");
      await verify(server, person);
      await expect(line(page, "Two-step login")).toContainText("Off");
      await page.getByRole("link", { name: "Set up two-step login" }).click();
      await expect(heading(page)).toHaveText("Two-step login");
      await page.getByRole("button", { name: "Set up an authenticator app" }).click();
      await expect(heading(page)).toHaveText("Set up an authenticator app");
      await expect(page.getByRole("img", { name: /^QR code for your/ })).toBeVisible();
      const app = appOf(((await page.locator("strong").last().textContent()) ?? "").replaceAll(" ", ""));
      await page.getByLabel("Code", { exact: true }).fill("000 000");
      await page.getByRole("button", { name: "Turn it on" }).click();
      await expect(
        page.getByRole("link", { name: "Wrong code. Enter the one your app shows right now." }),
      ).toBeVisible();
      await page.getByLabel("Code", { exact: true }).fill(app.code().replace(/^.{3}/, "$& "));
      await page.getByRole("button", { name: "Turn it on" }).click();

      await expect(heading(page)).toHaveText("Recovery codes");
      await page.getByRole("button", { name: "Show my recovery codes" }).click();
      await expect(heading(page)).toHaveText("Your recovery codes");
      const codes = await page.locator(".recovery-codes li").allTextContents();
      expect(codes).toHaveLength(10);
      await expect(page).toHaveURL("/account/second-factor/codes?said=app");
      if (!javaScriptEnabled) {
        await page.reload();
        expect(await page.locator(".recovery-codes li").allTextContents()).toEqual(codes);
      }
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download codes" }).click();
      expect((await downloading).suggestedFilename()).toBe("ownwords-recovery-codes.txt");
      await page.getByRole("link", { name: "I saved them" }).click();
      await expect(line(page, "Recovery codes")).toContainText("10 left");

      await context.clearCookies();
      await forgetCodes(server, person);
      await login(page, person.email);
      await expect(heading(page)).toHaveText("One more step");
      await page.getByRole("button", { name: "Log in" }).click();
      await expect(page.getByRole("link", { name: "Enter the code" })).toBeVisible();
      await page.getByLabel("Code", { exact: true }).fill(app.code());
      await page.getByRole("button", { name: "Log in" }).click();
      await expect(page).toHaveURL("/account");

      await context.clearCookies();
      await login(page, person.email);
      await page.getByLabel("Code", { exact: true }).fill(codes[0]?.toUpperCase().replaceAll("-", " ") ?? "");
      await page.getByRole("button", { name: "Log in" }).click();
      await expect(page).toHaveURL("/account");
      await mailTo(server, person.email, /^A recovery code was used$/);
      await page.goto("/account/second-factor");
      await expect(line(page, "Recovery codes")).toContainText("9 left");
      await page.locator("summary", { hasText: "authenticator app" }).click();
      await page.getByRole("button", { name: "Remove it" }).click();
      await expect(page.getByText("You log in with one step again.")).toBeVisible();
    });

    test("after a while both steps are asked for again", async ({ page, server, openSignedIn }) => {
      const person = await openSignedIn("/account");
      await verify(server, person);
      const app = await setUpApp(server, person);
      await signIn(page.context(), server, person);
      await forgetCodes(server, person);
      await server.pool.query(
        `UPDATE session SET confirmed_at = now() - interval '15 minutes',
           second_factor_at = now() - interval '15 minutes' WHERE user_id = $1`,
        [person.id],
      );
      await page.goto("/account/password");
      await expect(heading(page)).toHaveText("Confirm it’s you");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Confirm", exact: true }).click();
      await expect(page.getByText("so we ask for the second step as well")).toBeVisible();
      await page.getByLabel("Code", { exact: true }).fill(app.code());
      await page.getByRole("button", { name: "Confirm", exact: true }).click();
      await expect(heading(page)).toHaveText("Change your password");
    });
  });
}

test("a passkey is added, and signs in where its key is plugged in", async ({
  page,
  context,
  server,
  openSignedIn,
  plugInKey,
}) => {
  const removeKey = await plugInKey();
  const person = await openSignedIn("/account");
  await verify(server, person);
  await page.goto("/account/second-factor");
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await expect(heading(page)).toHaveText("Add a passkey");
  await page.getByLabel("Name").fill("The blue key");
  await page.getByRole("button", { name: "Create the passkey" }).click();
  await expect(heading(page)).toHaveText("Recovery codes");
  await page.goto("/account/second-factor");
  await expect(line(page, "The blue key")).toBeVisible();
  // The same key cannot be added twice.
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "Create the passkey" }).click();
  await expect(page.getByRole("alert")).toContainText("Your browser didn’t create a passkey.");

  await context.clearCookies();
  await login(page, person.email);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page).toHaveURL("/account");
  await page.goto("/account/second-factor");
  await expect(line(page, "The blue key")).toContainText("Last used on");

  await removeKey();
  await plugInKey();
  await context.clearCookies();
  await login(page, person.email);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("alert")).toContainText("Your browser didn’t use a passkey.");
  await page.goto("/account");
  await expect(page).toHaveURL("/login?return_to=%2Faccount");
});

test("in the popup of a provider, the page that opened it goes on to the second step", async ({
  page,
  context,
  server,
  open,
}) => {
  await open("/login?return_to=/account");
  await (await openPopup(page, "Google")).getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/account");
  const { rows } = await server.pool.query(
    "SELECT user_id AS id FROM session ORDER BY created_at DESC LIMIT 1",
  );
  const [cookie] = (await context.cookies()).filter(({ name }) => name.endsWith("session"));
  await verify(server, rows[0]);
  const app = await setUpApp(server, { cookie: `${cookie?.name}=${cookie?.value}` });
  await forgetCodes(server, rows[0]);
  await context.clearCookies();

  await open("/login?return_to=/account");
  const popup = await openPopup(page, "Google");
  const closed = popup.waitForEvent("close");
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await closed;
  await expect(page).toHaveURL("/login/second-factor?return_to=%2Faccount");
  await page.getByLabel("Code", { exact: true }).fill(app.code());
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page).toHaveURL("/account");
});

test("who is on the list sees the way to the console, and is led to a second step first", async ({
  page,
  server,
  openSignedIn,
  plugInKey,
}) => {
  const person = await openSignedIn("/account");
  await expect(page.getByRole("link", { name: "Console" })).toHaveCount(0);
  const operator = "admin@ownwords.example";
  await server.pool.query(`UPDATE "user" SET email = id || '@example.com' WHERE email = $1`, [operator]);
  await server.pool.query(`UPDATE "user" SET email = $2 WHERE id = $1`, [person.id, operator]);
  await page.goto("/dashboard");
  await expect(page.getByRole("link", { name: "Console" })).toHaveCount(0);
  expect((await page.goto("/admin"))?.status()).toBe(404);
  await verify(server, person);
  await page.goto("/dashboard");
  await page.getByRole("link", { name: "Console" }).click();
  await expect(page).toHaveURL("/account/second-factor?return_to=%2Fadmin");
  await plugInKey();
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "Create the passkey" }).click();
  await page.getByRole("button", { name: "Show my recovery codes" }).click();
  await page.getByRole("link", { name: "I saved them" }).click();
  await expect(page).toHaveURL("/admin");
  await expect(heading(page)).toBeVisible();
});

test.describe("at every width and in both themes", () => {
  test("the pages of two-step login", async ({ page, context, server, openSignedIn }) => {
    const person = await openSignedIn("/account/second-factor");
    await expectSound(page);
    await verify(server, person);
    await page.goto("/account/second-factor");
    await page.getByRole("button", { name: "Set up an authenticator app" }).click();
    await expect(heading(page)).toHaveText("Set up an authenticator app");
    await expectSound(page);
    const app = await setUpApp(server, person);
    await signIn(context, server, person);
    await forgetCodes(server, person);
    for (const path of ["", "/passkey", "/codes?said=app"]) {
      await page.goto(`/account/second-factor${path}`);
      await expectSound(page);
    }
    await page.getByRole("button", { name: "Show my recovery codes" }).click();
    await expect(heading(page)).toHaveText("Your recovery codes");
    await expectSound(page);
    await page.goto("/account/second-factor");
    await page.locator("summary", { hasText: "authenticator app" }).click();
    await expectSound(page);
    await context.clearCookies();
    await login(page, person.email);
    await page.getByLabel("Code", { exact: true }).fill("000000");
    await page.getByRole("button", { name: "Log in" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await expectSound(page);
    await page.getByLabel("Code", { exact: true }).fill(app.code());
    await page.getByRole("button", { name: "Log in" }).click();
    await expect(page).toHaveURL("/account");
    await server.pool.query(
      "UPDATE session SET second_factor_at = now() - interval '15 minutes' WHERE user_id = $1",
      [person.id],
    );
    await page.goto("/account/second-factor");
    await expect(heading(page)).toHaveText("Confirm it’s you");
    await expectSound(page);
  });
});
