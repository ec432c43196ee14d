import { expect, PUBLIC_PAGES, test } from "./fixtures.ts";

/** Has a script inside, which fetches another when it is in view: try-it.spec.ts. */
const ISLAND_PAGE = "/why-different";

for (const path of PUBLIC_PAGES) {
  test(`${path} sends no script, sets no cookie and asks nobody else for anything`, async ({
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
      `default-src 'none'; script-src ${path === ISLAND_PAGE ? "'self' 'sha256-" : "'none'"}`,
    );
    expect(await page.locator('script:not([type="application/ld+json"])').count()).toBe(
      path === ISLAND_PAGE ? 1 : 0,
    );
    expect(await page.locator("[style]").count()).toBe(0);
    expect(requests.filter((url) => /\.js(\?|$)/.test(url) || !url.startsWith(server.origin))).toEqual([]);
    expect(response?.headers()["set-cookie"]).toBeUndefined();
    expect(await context.cookies()).toEqual([]);
    await expect(page.locator("h1")).toHaveCount(1);
  });
}

test("the pages are the same for somebody signed in", async ({ page, request, openSignedIn }) => {
  await openSignedIn("/subscription");
  for (const path of PUBLIC_PAGES) {
    const [signedIn, stranger] = await Promise.all([page.request.get(path), request.get(path)]);
    expect(withoutTime(await signedIn.text())).toBe(withoutTime(await stranger.text()));
    expect(signedIn.headers()["set-cookie"]).toBeUndefined();
  }
});

/** A form that says when it was made says it to everyone. */
function withoutTime(html: string): string {
  return html.replace(/(name="opened_at" value=)"[^"]*"/, "$1");
}

test.describe("the menu on a small screen, without JavaScript", () => {
  test.use({ viewport: { width: 360, height: 800 }, javaScriptEnabled: false });

  test("opens, closes, marks where one is, and closes on choosing a link", async ({ page }) => {
    await page.goto("/faq");
    const navigation = page.getByRole("navigation", { name: "Main" });
    await expect(navigation).toBeHidden();
    await page.getByRole("button", { name: "Menu" }).click();
    await expect(navigation).toBeVisible();
    await expect(navigation.getByRole("link", { name: "FAQ" })).toHaveAttribute("aria-current", "page");
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
  await expect(page.getByText(/name this number: [0-9a-f-]{36}/)).toBeVisible();
  await expect(page.getByRole("link", { name: "Back to the start" })).toBeVisible();
  expect(await page.locator("body").innerHTML()).not.toMatch(/from waitlist|select|relation/i);
});
