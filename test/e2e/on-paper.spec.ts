import type { Page } from "@playwright/test";
import config from "../../playwright.config.ts";
import { fillConsole } from "../console.ts";
import { expect, PUBLIC_PAGES, signIn, test } from "./fixtures.ts";

// A browser of its own, and a server with it, is started once instead of in each worker.
test.describe.configure({ mode: "default" });

// With scroll bars, which Playwright hides.
test.use({ launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ["--hide-scrollbars"] } });

test.skip(
  ({ browserName }) => browserName === "firefox",
  "WebDriver BiDi shows a page as on paper in no browser, and bars are not shown",
);

/** The width of an A4 page without its margins. */
const PAPER = { width: 680, height: 1000 };

for (const path of PUBLIC_PAGES)
  test(`${path} is drawn whole, and prints all of it without anything to press`, async ({ page }) => {
    await page.goto(path);
    expect(await undrawn(page), "on screen").toEqual([]);
    await print(page);
    expect(await undrawn(page), "on paper").toEqual([]);
    expect(await hiddenOnPaper(page)).toEqual([]);
    for (const role of ["navigation", "button"] as const) await expect(page.getByRole(role)).toHaveCount(0);
  });

test("the FAQ prints every answer, open or not", async ({ page }) => {
  for (const [path, open] of [
    ["/faq", 1],
    ["/", 0],
  ] as const) {
    await page.emulateMedia({ media: "screen" });
    await page.goto(path);
    const drawn = () =>
      page
        .locator(".faq details")
        .evaluateAll((all) =>
          all.filter((each) => each.scrollHeight > (each.children[0]?.scrollHeight ?? 0) + 30),
        );
    expect(await drawn()).toHaveLength(open);
    await print(page);
    expect(await drawn()).toHaveLength(6);
  }
});

test("the plans print the prices of the chosen period, and which that is", async ({ page }) => {
  await page.goto("/pricing");
  await page.getByLabel("Monthly").check();
  await print(page);
  await expect(page.getByText("Monthly", { exact: true })).toBeVisible();
  await expect(page.getByText("Annual")).toBeHidden();
  await expect(page.getByText("$2.99").first()).toBeVisible();
});

test("an open menu prints no page without its contents", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto("/faq");
  await page.getByRole("button", { name: "Menu" }).click();
  await print(page);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("navigation")).toHaveCount(0);
});

test("an open menu goes when the window widens: the links are where they are without it", async ({
  page,
}) => {
  const places = () =>
    page
      .getByRole("banner")
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => JSON.stringify(link.getBoundingClientRect())));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/pricing");
  const before = await places();
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole("button", { name: "Menu" }).click();
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await places()).toEqual(before);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("heading", { level: 1 }).click();
  await page.setViewportSize({ width: 360, height: 800 });
  await expect(page.getByRole("navigation", { name: "Main" })).toBeHidden();
});

test("no scroll bar moves the page: between short and long ones, and under an open menu", async ({
  page,
}) => {
  await page.setViewportSize({ width: 900, height: 1400 });
  const edge = async () =>
    page.getByRole("banner").evaluate((header) => Math.round(header.getBoundingClientRect().right));
  await page.goto("/contact/sent");
  const short = await edge();
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(1400);
  await page.goto("/pricing");
  expect(await page.evaluate(() => innerWidth - document.documentElement.clientWidth)).toBeGreaterThan(0);
  expect(await edge()).toBe(short);
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  expect(await edge()).toBe(short);
});

test("account pages and the console print what they say", async ({ page, openSignedIn, server, context }) => {
  test.setTimeout(120_000);
  await openSignedIn("/account");
  for (const path of ["/account", "/dashboard", "/subscription", "/test-promo", "/account/delete"]) {
    await page.goto(path);
    await print(page);
    expect([path, await undrawn(page), await hiddenOnPaper(page)]).toEqual([path, [], []]);
  }
  const { operator, pages } = await fillConsole(server);
  await signIn(context, server, operator);
  // Not the page whose complaints are watched: to look into a mail's frame Playwright tries to run a script.
  const console = await context.newPage();
  for (const [, path] of pages) {
    await console.goto(path);
    await print(console);
    expect([path, await undrawn(console), await hiddenOnPaper(console)]).toEqual([path, [], []]);
  }
});

async function print(page: Page) {
  await page.setViewportSize(PAPER);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
}

/** Elements whose contents a browser leaves out until they come into view. */
function undrawn(page: Page): Promise<string[]> {
  return page.locator("body *:not(script)").evaluateAll((all) =>
    all
      // One that hydration has just replaced has no style.
      .filter((element) => element.isConnected && getComputedStyle(element).contentVisibility !== "visible")
      .map((element) => element.outerHTML.slice(0, 80)),
  );
}

/** What paper cannot show: sections with a heading alone, what scrolls, what is drawn over its neighbour, light ink. */
function hiddenOnPaper(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const named = (element: Element) => element.outerHTML.slice(0, 80);
    const empty = [...document.querySelectorAll("main section:has(> h2)")].filter(
      (section) => ![...section.children].some((part) => !part.matches("h2") && part.clientHeight > 0),
    );
    const scrolled = [
      ...document.querySelectorAll("main *:not(input, select, textarea, iframe, .sr-only)"),
    ].filter(
      (element) =>
        /auto|scroll/.test(getComputedStyle(element).overflowY) &&
        (element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1),
    );
    const overlaid = [...document.querySelectorAll("main > *, main > .page > *")].filter((element) => {
      const next = element.nextElementSibling;
      const isDrawn = element.clientHeight > 1 && (next?.clientHeight ?? 0) > 1;
      return (
        isDrawn && element.getBoundingClientRect().bottom > (next?.getBoundingClientRect().bottom ?? 0) + 1
      );
    });
    const ink = getComputedStyle(document.documentElement).color;
    return [...empty, ...scrolled, ...overlaid].map(named).concat(ink === "rgb(27, 26, 23)" ? [] : ink);
  });
}
