import { PUBLIC_PAGES } from "../../app/marketing/pages.ts";
import { eventually } from "../http.ts";
import { createPerson } from "../users.ts";
import { expect, PASSWORD, test } from "./fixtures.ts";

const NO_SPECULATION = "Firefox has no speculation rules";

test("a browser may fetch public pages ahead, and nothing else", async ({
  page,
  context,
  baseURL,
  browserName,
}) => {
  test.skip(browserName === "firefox", NO_SPECULATION);
  const cdp = await context.newCDPSession(page);
  let candidates: string[] = [];
  cdp.on("Preload.preloadingAttemptSourcesUpdated", ({ preloadingAttemptSources }) => {
    candidates = preloadingAttemptSources.map(({ key }) => key.url);
  });
  await cdp.send("Preload.enable");
  await page.goto("/pricing");
  await eventually(async () => candidates.includes(`${baseURL}/faq`), "pages may be fetched ahead");

  const allowed = PUBLIC_PAGES.map(({ path }) => baseURL + path);
  expect(candidates.filter((url) => !allowed.includes(url.replace(/#.*/, "")))).toEqual([]);
  // All of these are links of the page too.
  for (const other of ["/login", "/register?return_to", "/contact?topic"]) {
    expect(await page.locator(`a[href^="${other}"]`).count()).toBeGreaterThan(0);
  }
});

test("a page fetched ahead before signing in is not shown afterwards", async ({
  page,
  context,
  server,
  browserName,
}) => {
  test.skip(browserName === "firefox", NO_SPECULATION);
  const person = await createPerson(server.pool);
  const cdp = await context.newCDPSession(page);
  let fetchedAhead = "";
  cdp.on("Preload.prefetchStatusUpdated", ({ status, prefetchUrl }) => {
    if (status === "Ready" || status === "Success") fetchedAhead = prefetchUrl;
  });
  await cdp.send("Preload.enable");
  await page.goto("/pricing");
  const banner = page.getByRole("banner");
  await banner.getByRole("link", { name: "FAQ" }).hover();
  await eventually(async () => fetchedAhead.endsWith("/faq"), "the page is fetched ahead");

  const otherTab = await context.newPage();
  await otherTab.goto("/login");
  await otherTab.getByLabel("Email address").fill(person.email);
  await otherTab.getByLabel("Password").fill(PASSWORD);
  await otherTab.getByRole("main").getByRole("button", { name: "Login" }).click();
  await expect(otherTab).toHaveURL("/dashboard");

  await page.bringToFront();
  await banner.getByRole("link", { name: "FAQ" }).click();
  await expect(page).toHaveURL("/faq");
  await expect(banner.getByRole("link", { name: "Dashboard" })).toBeVisible();
});

test("a page fetched ahead before a change is fetched again after it", async ({
  page,
  context,
  openSignedIn,
}) => {
  await openSignedIn("/subscription");
  const banner = page.getByRole("banner");
  const dashboard = banner.getByRole("link", { name: "Dashboard" });
  const otherTab = await context.newPage();
  await otherTab.goto("/account");
  const name = otherTab.getByLabel("Name", { exact: true });
  await otherTab.waitForFunction(() => "hydrated" in document.documentElement.dataset);
  await name.fill("Grace Hopper");

  await page.bringToFront();
  const fetchedAhead = page.waitForResponse(/\/dashboard\.data/);
  await dashboard.hover();
  await (await fetchedAhead).finished();
  await name.press("Enter");
  await expect(otherTab.getByRole("banner").getByText("Grace Hopper")).toBeAttached();
  await dashboard.click();
  await expect(page).toHaveURL("/dashboard");
  await expect(banner.getByText("Grace Hopper")).toBeAttached();
});
