import { expect, test } from "../e2e/fixtures.ts";
import { appOf, forgetCodes } from "../second-factor.ts";
import { PASSWORD, verify } from "../users.ts";
import { camera, VIEWS } from "./camera.ts";

const PATH = "/account/second-factor";

for (const { name, folder, width, use } of VIEWS) {
  test.describe(name, () => {
    test.use(use);

    test("two-step login, from off to on and at the next login", async ({
      page,
      context,
      server,
      openSignedIn,
      open,
      plugInKey,
    }) => {
      test.setTimeout(120_000);
      const shoot = camera(page, `${folder}/two-steps`, width);
      await plugInKey();
      const person = await openSignedIn(PATH);
      await shoot("unconfirmed");
      await verify(server, person);
      await page.goto("/account");
      await shoot("account");
      await page.goto(PATH);
      await shoot("off");
      await page.getByRole("button", { name: "Set up an authenticator app" }).click();
      await expect(page.getByRole("img", { name: /^QR code/ })).toBeVisible();
      await shoot("app");
      const app = appOf(((await page.locator("strong").last().textContent()) ?? "").replaceAll(" ", ""));
      const code = page.getByLabel("Code", { exact: true });
      await code.fill("000000");
      await page.getByRole("button", { name: "Turn it on" }).click();
      await expect(page.getByRole("alert")).toBeVisible();
      await shoot("app-wrong");
      await code.fill(app.code());
      await page.getByRole("button", { name: "Turn it on" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Recovery codes");
      await shoot("codes");
      await page.getByRole("button", { name: "Show my recovery codes" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your recovery codes");
      await shoot("codes-shown");
      await open(`${PATH}/passkey`);
      await shoot("passkey");
      await page.getByRole("button", { name: "Create the passkey" }).click();
      await expect(page.getByText("Passkey added.")).toBeVisible();
      await page.locator("summary", { hasText: "authenticator app" }).click();
      await shoot("on");

      await context.clearCookies();
      await forgetCodes(server, person);
      await open("/login");
      await page.getByLabel("Email address").fill(person.email);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("main").getByRole("button", { name: "Login" }).click();
      await expect(page.getByRole("button", { name: "Use a passkey" })).toBeVisible();
      await shoot("second-step");
      await code.fill("000000");
      await page.getByRole("button", { name: "Log in" }).click();
      await expect(page.getByRole("alert")).toBeVisible();
      await shoot("second-step-wrong");
      await code.fill(app.code());
      await page.getByRole("button", { name: "Log in" }).click();
      await expect(page).toHaveURL("/dashboard");
      await server.pool.query(
        "UPDATE session SET second_factor_at = now() - interval '15 minutes' WHERE user_id = $1",
        [person.id],
      );
      await page.goto(PATH);
      await expect(page.getByText("so we ask for the second step as well")).toBeVisible();
      await shoot("confirm");
    });
  });
}
