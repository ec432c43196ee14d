import type { Page } from "@playwright/test";
import { hashSecret } from "../../app/http/secret-token.server.ts";
import { cutDatabase } from "../away.ts";
import { sessionTokenOf } from "../users.ts";
import { expect, PASSWORD, register, test } from "./fixtures.ts";

async function login(page: Page, email: string, password: string) {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("sign up, sign out to the start, sign in, and back to where one wanted to be", async ({ page }) => {
      await page.goto("/register");
      const email = await register(page, "Grace Hopper");
      await expect(page).toHaveURL("/subscription");
      await page.goto("/dashboard");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome, Grace Hopper");
      await page.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
      await expect(page).toHaveURL("/");

      await page.goto("/dashboard");
      await expect(page).toHaveURL("/login?return_to=%2Fdashboard");
      await login(page, email.toUpperCase(), PASSWORD);
      await expect(page).toHaveURL("/dashboard");
      await page.goto("/login?return_to=/test-promo");
      await expect(page).toHaveURL("/test-promo");
    });

    test("signing in with what does not belong together", async ({ page }) => {
      await page.goto("/login");
      await login(page, "nobody@example.com", "not the password");
      await expect(page.getByRole("alert")).toHaveText(
        /^Failed to sign in.*Wrong email address or password\./,
      );
      await expect(page.getByLabel("Email address")).toHaveValue("nobody@example.com");
    });

    test("on a small screen every refusal is seen", async ({ page }) => {
      await page.setViewportSize({ width: 360, height: 640 });
      await page.goto("/login");
      const notice = page.getByRole("alert");
      for (const address of ["nobody@example.com", "nobody.else@example.com"]) {
        await login(page, address, "not the password");
        await expect(page.locator(":focus")).toContainText("Wrong email address or password.");
        await expect(notice).toBeInViewport({ ratio: 1 });
        await page.getByRole("link", { name: "Forgot your password?" }).focus();
      }
    });

    test("signing up twice, and with nothing filled in", async ({ page, context }) => {
      await page.goto("/register");
      await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
      await expect(page.getByRole("alert")).toHaveText(/^Failed to sign up.*Enter your name/);
      await expect(page.getByLabel("Email address")).toHaveAccessibleDescription("Enter your email address");
      await expect(page.getByLabel("Password")).toHaveAccessibleDescription(/Choose a password/);

      const email = await register(page);
      await expect(page).toHaveURL("/subscription");
      await context.clearCookies();
      await page.goto("/register");
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("Password").fill("not the password");
      await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
      await expect(page.getByRole("alert")).toHaveText(
        /^Failed to sign up.*This email address already has an account. Log in instead/,
      );
      await expect(page.getByLabel("Name")).toHaveValue("Ada");
    });

    test("Sign Out that fails says so", async ({ page, server, openSignedIn }) => {
      await openSignedIn("/dashboard");
      await server.pool.query(
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`,
      );
      await server.pool.query(
        `CREATE TRIGGER refuse BEFORE DELETE ON session FOR EACH ROW EXECUTE FUNCTION refuse()`,
      );
      await page.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
      await expect(page.getByRole("alert")).toHaveText(/^Failed to sign out/);
      await server.pool.query("DROP FUNCTION refuse CASCADE");
      await page.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
      await expect(page).toHaveURL("/");
    });
  });
}

test("pressed twice, Sign Out is sent once and says that it is under way", async ({ page, openSignedIn }) => {
  await openSignedIn("/dashboard");
  // Kept back, so that the page stays there to be looked at.
  let sent = 0;
  await page.route("**/logout.data", () => {
    sent++;
  });
  await page.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
  const button = page.getByRole("banner").getByRole("button", { name: "Signing out…" });
  await expect(button).toBeVisible();
  await button.click({ force: true });
  await expect(button).toBeVisible();
  await expect.poll(() => sent).toBe(1);
});

test("the header marks where one is, also on what lies below it", async ({ page, openSignedIn }) => {
  await openSignedIn("/account");
  const profile = page.getByRole("banner").getByRole("link", { name: "Account" });
  for (const [path, current] of [
    ["/account", "page"],
    ["/account/sessions", "true"],
  ] as const) {
    await page.goto(path);
    await expect(profile).toHaveAttribute("aria-current", current);
  }
  await page.goto("/dashboard");
  await expect(profile).not.toHaveAttribute("aria-current");
});

test.describe("on a phone, without JavaScript", () => {
  test.use({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });

  test("the menu of the account begins with the dashboard, says who is signed in, and closes", async ({
    page,
    openSignedIn,
  }) => {
    await openSignedIn("/account");
    const banner = page.getByRole("banner");
    await banner.getByRole("button", { name: "Menu" }).click();
    await expect(banner.getByRole("navigation").getByRole("listitem")).toHaveText([
      "Dashboard",
      "Plan",
      "Account",
      /Signed in as Ada Lovelace$/,
      "Sign Out",
    ]);
    await banner.getByRole("button", { name: "Close" }).click();
    await expect(banner.getByRole("navigation")).toBeHidden();
  });
});

test.describe("in Los Angeles", () => {
  test.use({ timezoneId: "America/Los_Angeles" });

  test("the account is kept in the zone of its browser", async ({ page, openSignedIn }) => {
    await openSignedIn("/account");
    await expect(page.getByText("your device’s time zone: America/Los Angeles")).toBeVisible();
    await page.reload();
    await expect(page.getByText("your device’s time zone: America/Los Angeles")).toBeVisible();
  });
});

test("a password is shown on request, and hidden when it is sent", async ({ page, open }) => {
  await open("/login");
  const password = page.getByLabel("Password");
  await password.fill("not the password");
  await page.getByRole("button", { name: "Show password" }).click();
  await expect(password).toHaveAttribute("type", "text");
  await page.getByRole("button", { name: "Hide password" }).click();
  await expect(password).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Show password" }).click();
  await login(page, "nobody@example.com", "not the password");
  await expect(password).toHaveAttribute("type", "password");
  await expect(page.getByRole("alert")).toHaveText(/^Failed to sign in/);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("no button offers to show a password that it could not show", async ({ page }) => {
    for (const path of ["/login", "/register"]) {
      await page.goto(path);
      await expect(page.getByRole("main").getByRole("button", { name: /show/i })).toHaveCount(0);
    }
  });
});

test("an address on the admin list is sent from the plans to the dashboard", async ({
  page,
  server,
  openSignedIn,
}) => {
  const { email } = await openSignedIn("/dashboard");
  await server.pool.query(`UPDATE "user" SET email = 'admin@ownwords.example' WHERE email = $1`, [email]);
  await page.goto("/subscription");
  await expect(page).toHaveURL("/dashboard");
  await server.pool.query(`UPDATE "user" SET email = $1 WHERE email = 'admin@ownwords.example'`, [email]);
});

test("no plans, and plans that cannot be loaded", async ({ page, server, openSignedIn }) => {
  await openSignedIn("/subscription");
  await expect(page.getByRole("heading", { name: "CSV Only" })).toBeVisible();

  await server.pool.query("ALTER TABLE prices RENAME TO prices_away");
  await page.reload();
  await expect(page.getByText("Failed to load subscription plans. Please try again later.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Promo code" })).toBeVisible();
  await server.pool.query("ALTER TABLE prices_away RENAME TO prices");

  await server.pool.query("UPDATE products SET active = false");
  await page.reload();
  await expect(page.getByText("No subscription plans are currently available.")).toBeVisible();
  await server.pool.query("UPDATE products SET active = true");
});

test("the session cookie is out of reach of scripts, and no page contains the token", async ({
  page,
  context,
  server,
  openSignedIn,
}) => {
  await openSignedIn("/subscription");
  await page.goto("/dashboard");
  const [cookie] = await context.cookies();
  const secure = server.origin.startsWith("https:");
  const name = secure ? "__Host-session" : "session";
  expect(cookie).toMatchObject({ name, secure, httpOnly: true, sameSite: "Lax", path: "/" });
  const token = sessionTokenOf(`session=${cookie?.value}`);
  const { rowCount } = await server.pool.query("SELECT FROM session WHERE token_hash = $1", [
    hashSecret(token),
  ]);
  expect(rowCount).toBe(1);
  expect(await page.content()).not.toContain(token);
  expect(await page.evaluate(() => document.cookie)).toBe("");
});

test("while the network is away signing in keeps the form", async ({ page, context }) => {
  await page.goto("/login");
  await page.getByLabel("Email address").fill("ada@example.com");
  await context.setOffline(true);
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await expect(page.getByRole("alert")).toHaveText(/^Failed to sign in.*We couldn’t reach the site/);
  await expect(page.getByLabel("Email address")).toHaveValue("ada@example.com");
});

test("while the database is away forms keep what was typed, and say what failed", async ({
  page,
  server,
  openSignedIn,
}) => {
  await openSignedIn("/account");
  const cases = [
    { path: "/account", button: "Save", field: "Name", failed: "Your profile wasn’t saved" },
    {
      path: "/account/email",
      button: "Send confirmation email",
      field: "New email address",
      failed: "wasn’t changed",
    },
    { path: "/login", button: "Login", field: "Email address", failed: "Failed to sign in" },
    { path: "/register", button: "Sign Up", field: "Email address", failed: "Failed to sign up" },
    {
      path: "/forgot-password",
      button: "Send the link",
      field: "Email address",
      failed: "Failed to send password reset email",
    },
  ];
  for (const { path, button, field, failed } of cases) {
    if (path === "/login") await page.context().clearCookies();
    await page.goto(path);
    await page.waitForFunction(() => "hydrated" in document.documentElement.dataset);
    const restore = await cutDatabase(server);
    await page.getByLabel(field, { exact: true }).fill("grace@example.com");
    if (path === "/register") await page.getByLabel("Name").fill("Grace");
    if (/login|register/.test(path)) await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("main").getByRole("button", { name: button, exact: true }).click();
    await expect(page.getByRole("alert")).toContainText(failed);
    await expect(page.getByRole("alert")).toContainText(
      "Something broke on our side. Try again in a moment.",
    );
    await expect(page.getByLabel(field, { exact: true })).toHaveValue("grace@example.com");
    await restore();
  }
});
