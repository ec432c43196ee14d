import { PUBLIC_PAGES as PAGES_FROM_MEMORY } from "../../app/marketing/pages.ts";
import { createPerson } from "../users.ts";
import { expect, PUBLIC_PAGES, signIn, test } from "./fixtures.ts";

/** Each has a script inside, which fetches another when it is in view: try-it.spec.ts. */
const ISLAND_PAGES = ["/", "/why-different"];

for (const path of PUBLIC_PAGES) {
  test(`${path} sends no script, sets no cookie and asks no other site for anything`, async ({
    page,
    context,
    server,
  }) => {
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    // So low that the island is out of view.
    await page.setViewportSize({ width: 1280, height: 300 });
    const response = await page.goto(path);
    expect(response?.status()).toBe(path === "/nowhere" ? 404 : 200);
    expect(response?.headers()["content-security-policy"]).toContain(
      `default-src 'none'; script-src ${ISLAND_PAGES.includes(path) ? "'self' 'sha256-" : "'none'"}`,
    );
    expect(await page.locator('script:not([type="application/ld+json"])').count()).toBe(
      ISLAND_PAGES.includes(path) ? 1 : 0,
    );
    expect(await page.locator("[style]").count()).toBe(0);
    expect(requests.filter((url) => /\.js(\?|$)/.test(url) || !url.startsWith(server.origin))).toEqual([]);
    expect(response?.headers()["set-cookie"]).toBeUndefined();
    expect(await context.cookies()).toEqual([]);
    await expect(page.locator("h1")).toHaveCount(1);
  });
}

test("every page leads a signed-in user to their account, and a visitor to Login", async ({
  page,
  context,
  request,
  openSignedIn,
}) => {
  const banner = page.getByRole("banner");
  const links = async () => {
    const named = await banner.getByRole("link").allInnerTexts();
    return named.filter((name) => ["Login", "Sign Up", "Dashboard", "Account"].includes(name));
  };
  await openSignedIn("/dashboard");
  const cookies = await context.cookies();
  for (const path of PUBLIC_PAGES) {
    const response = await page.goto(path);
    expect(await links(), path).toEqual(["Dashboard", "Account"]);
    const isKept = PAGES_FROM_MEMORY.some((kept) => kept.path === path);
    expect(response?.headers()["cache-control"]).toBe(isKept ? "private, no-cache" : "no-store");
    expect(response?.headers()["set-cookie"]).toBeUndefined();
    expect(await page.locator('script:not([type="application/ld+json"])').count()).toBe(
      ISLAND_PAGES.includes(path) ? 1 : 0,
    );
    const [theirs, anybodys] = await Promise.all([
      page.request.get(path),
      request.get(path, { headers: { cookie: `${cookies[0]?.name}=x` } }),
    ]);
    expect(withoutTime(await theirs.text())).toBe(withoutTime(await anybodys.text()));
  }
  expect(await context.cookies()).toEqual(cookies);

  await banner.getByRole("link", { name: "Dashboard" }).click();
  await page.getByRole("button", { name: "Sign Out" }).click();
  await expect(page).toHaveURL("/");
  expect(await links()).toEqual(["Login", "Sign Up"]);
  await page.goto("/faq");
  expect(await links(), "kept by the browser from before").toEqual(["Login", "Sign Up"]);
});

/** A form that says when it was made says it to everyone. */
function withoutTime(html: string): string {
  return html.replace(/(name="opened_at" value=)"[^"]*"/, "$1");
}

test("Back after signing in or out shows no header from before", async ({ page, context, server }) => {
  const links = page.getByRole("banner").getByRole("link", { name: /^(Login|Dashboard)$/ });
  await page.goto("/faq");
  await expect(links).toHaveText(["Login"]);
  await signIn(context, server, await createPerson(server.pool));
  await page.goto("/pricing");
  await expect(links).toHaveText(["Dashboard"]);
  await page.goBack();
  await expect(page).toHaveURL("/faq");
  await expect(links).toHaveText(["Dashboard"]);
  await context.clearCookies();
  await page.goForward();
  await expect(page).toHaveURL("/pricing");
  await expect(links).toHaveText(["Login"]);
});

test.describe("the menu on a small screen, without JavaScript", () => {
  test.use({ viewport: { width: 360, height: 800 }, javaScriptEnabled: false });

  test("opens, closes, marks where one is, and closes on choosing a link", async ({ page }) => {
    await page.goto("/faq");
    const navigation = page.getByRole("navigation", { name: "Main" });
    await expect(navigation).toBeHidden();
    await page.getByRole("button", { name: "Menu" }).click();
    await expect(navigation).toBeVisible();
    await expect(navigation.getByRole("link", { name: "FAQ" })).toHaveAttribute("aria-current", "page");
    await expect(page.getByRole("button", { name: "Menu" })).toHaveCount(0);
    await page.getByRole("button", { name: "Close" }).click();
    await expect(navigation).toBeHidden();
    await page.getByRole("button", { name: "Menu" }).click();
    await navigation.getByRole("link", { name: "Pricing" }).click();
    await expect(page).toHaveURL("/pricing");
    await expect(navigation).toBeHidden();
  });

  test("left open while the window grows, it does not lie over the logo", async ({ page }) => {
    await page.goto("/faq");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(page.getByRole("link", { name: "Why We're Different" }).first()).toBeVisible();
    // Fails when something else would get the click; and closes the menu, because it is outside of it.
    await page.getByRole("banner").getByRole("link", { name: "Ownwords" }).click();
    await expect(page).toHaveURL("/");
  });
});

test("an error of ours is designed, says nothing of its cause, and has a number", async ({
  page,
  server,
}) => {
  await server.pool.query("ALTER TABLE waitlist RENAME TO waitlist_away");
  const response = await page.goto(`/waitlist/place?token=${"a".repeat(43)}`);
  await server.pool.query("ALTER TABLE waitlist_away RENAME TO waitlist");
  expect(response?.status()).toBe(500);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Unexpected Application Error!");
  await expect(page.getByText(/quote this number: [0-9a-f]{32}/)).toBeVisible();
  await expect(page.getByRole("link", { name: "Go to the home page" })).toBeVisible();
  const said = await page
    .locator("body > :not(script)")
    .evaluateAll((parts) => parts.map((part) => part.outerHTML));
  expect(said.join()).not.toMatch(/from waitlist|select|relation/i);
  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page).toHaveURL(`/waitlist/place?token=${"a".repeat(43)}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This waitlist link no longer works");
});
