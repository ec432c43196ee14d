import { openHostedApp } from "../hosted-app.ts";
import { eventually } from "../http.ts";
import { startServer } from "../server.ts";
import { test as base, expect } from "./fixtures.ts";
import { expectSound, IN_MOTION } from "./looks.ts";

/** A hosted app whose login page has a button that hands its user over; without the button it answers 204, which moves no browser. */
async function openApp() {
  const asked: URL[] = [];
  const app = await openHostedApp(async (request, response) => {
    const url = new URL(request.url ?? "", "http://hosted.app");
    asked.push(url);
    if (state.isAway) return void response.writeHead(204).end();
    const returnTo = url.searchParams.get("return_to") ?? "";
    const { origin } = new URL(returnTo);
    response.writeHead(200, { "Content-Type": "text/html" }).end(`<!doctype html><title>Their login</title>
      <link rel="icon" href="data:,">
      <form method="post" action="${origin}/auth/handoff">
        <input type="hidden" name="id_token" value="${state.token || (await app.sign(origin))}">
        <input type="hidden" name="return_to" value="${returnTo.replaceAll("&", "&amp;")}">
        <button>Log in there</button>
      </form>`);
  });
  const state = { isAway: false, token: "" };
  return { ...app, knobs: state, asked };
}

const test = base.extend<{ fresh: undefined }, { app: Awaited<ReturnType<typeof openApp>> }>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
    async ({}, use) => {
      const app = await openApp();
      await use(app);
      app.close();
    },
    { scope: "worker" },
  ],
  server: [
    async ({ app }, use) => {
      const server = await startServer({ SIGN_IN: "redirect", ...app.env });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  fresh: [
    async ({ app }, use) => {
      Object.assign(app.knobs, { isAway: false, token: "" });
      app.asked.length = 0;
      await use(undefined);
    },
    { auto: true },
  ],
});

// One app, server and browser for all of its tests.
test.describe.configure({ mode: "default" });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled, ...IN_MOTION });

    test("to the hosted app by itself, and from there to the page one wanted", async ({
      page,
      app,
      server,
    }) => {
      await page.goto("/subscription?promo=WELCOME", { waitUntil: "commit" });
      await page.getByRole("button", { name: "Log in there" }).click();
      await expect(page).toHaveURL("/subscription?promo=WELCOME");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Choose Your Ownwords Plan");
      expect(app.asked[0]?.pathname).toBe("/login");
      expect(app.asked[0]?.searchParams.get("return_to")).toBe(`${server.origin}/subscription?promo=WELCOME`);
      await page.goto("/dashboard");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome, Grace Hopper");
    });

    test("until the hosted app answers, the screen says what happens, and has a button", async ({
      page,
      app,
    }) => {
      app.knobs.isAway = true;
      await page.goto("/register", { waitUntil: "commit" });
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Redirecting to registration...");
      await expect(page.getByText("If you are not redirected, click here")).toBeVisible();
      await expect(page.locator(".redirect-spinner")).toHaveCSS("animation-name", "redirect-turn");
      // The redirect has been answered by then, and cannot meet the click.
      await eventually(async () => app.asked.length > 0, "the page redirects by itself");
      app.knobs.isAway = false;
      await page.getByRole("main").getByRole("link", { name: "Continue to registration" }).click();
      await expect(page.getByRole("button", { name: "Log in there" })).toBeVisible();
      expect(app.asked.at(-1)?.pathname).toBe("/register");
    });

    test("a token used twice: the reason, and a way back to the hosted app with the page one wanted", async ({
      page,
      context,
      app,
      server,
    }) => {
      app.knobs.token = await app.sign(server.origin);
      await page.goto("/dashboard", { waitUntil: "commit" });
      await page.getByRole("button", { name: "Log in there" }).click();
      await expect(page).toHaveURL("/dashboard");
      await context.clearCookies();
      await page.goto("/account", { waitUntil: "commit" });
      await page.getByRole("button", { name: "Log in there" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Failed to sign in");
      await expect(page.getByRole("alert")).toContainText("was already used");
      app.knobs.token = "";
      await page.getByRole("main").getByRole("link", { name: "Go to login" }).click();
      await page.getByRole("button", { name: "Log in there" }).click();
      await expect(page).toHaveURL("/account");
    });
  });
}

test.describe("accessible", () => {
  test("the screens and the refusal are sound", async ({ page, app }) => {
    app.knobs.isAway = true;
    for (const path of ["/login", "/register"]) {
      await page.goto(path, { waitUntil: "commit" });
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.locator(".redirect-spinner")).toHaveCSS("border-radius", "50%");
      await expectSound(page);
    }
    await page.goto("/auth/handoff");
    await expectSound(page);
  });
});

test("for those who ask for little motion, the spinner stands still", async ({ page, app }) => {
  app.knobs.isAway = true;
  await page.goto("/login", { waitUntil: "commit" });
  await expect(page.locator(".redirect-spinner")).toHaveCSS("border-radius", "50%");
  await expect(page.locator(".redirect-spinner")).toHaveCSS("animation-name", "none");
});
