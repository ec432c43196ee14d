import type { Locator, Page } from "@playwright/test";
import { NO_PLAIN_PAGES } from "../firefox.ts";
import { createOperator } from "../operator.ts";
import type { TestServer } from "../server.ts";
import { expect, signIn, test } from "./fixtures.ts";

const DAY = 24 * 60 * 60 * 1000;

/** The Monday of a week in UTC, as charts write it. */
function monday(weeksAgo: number): string {
  const today = Date.now();
  const sinceMonday = (new Date(today).getUTCDay() + 6) % 7;
  return new Date(today - (sinceMonday + 7 * weeksAgo) * DAY).toISOString().slice(0, 10);
}

/** What was counted three weeks ago, and four and twelve weeks before that. */
const ACCOUNTS = new Map([
  [3, 42],
  [7, 21],
  [15, 38],
]);

async function writeFigures({ pool }: TestServer): Promise<void> {
  for (const [weeksAgo, value] of ACCOUNTS)
    await pool.query(
      `INSERT INTO daily_figures (day, name, label, value) VALUES ($1, 'signed_up', '', $2)
       ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value`,
      [monday(weeksAgo), value],
    );
}

/** The period before. */
const LINE = "path[stroke-dasharray]";

const chartOf = (page: Page, title: string) =>
  page.locator(".chart", { has: page.getByRole("heading", { name: title, exact: true }) });

/** Puts the pointer over a bar, whose height it does not need to know. */
async function pointAt(page: Page, bar: Locator): Promise<void> {
  await bar.scrollIntoViewIfNeeded();
  const box = await bar.boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) - 2);
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) - 4);
}

const rowsOf = async (chart: Locator) =>
  (await chart.getByRole("row").allInnerTexts()).map((row) => row.split(/\s*\t\s*/));

test.beforeEach(async ({ context, server }) => {
  await writeFigures(server);
  await signIn(context, server, await createOperator(server.pool));
});

test("a bar of the overview says its figure, the one before and the difference, to a pointer and to a keyboard", async ({
  page,
  open,
}) => {
  await open("/admin");
  const chart = chartOf(page, "New accounts");
  const bars = chart.locator(".visx-bar");
  await expect(bars).toHaveCount(12);
  await pointAt(page, bars.nth(8));
  const tooltip = page.locator(".chart-tooltip");
  const said = [`Week of ${monday(3)}`, "42", "12 weeks before: 38", "Difference: +4 (+11%)"];
  await expect(tooltip.locator("p")).toHaveText(said);
  await page.mouse.move(0, 0);
  await expect(tooltip).toHaveCount(0);

  const slider = chart.getByRole("slider", { name: "New accounts: Week of" });
  await slider.focus();
  for (const _ of [1, 2, 3]) await page.keyboard.press("ArrowLeft");
  await expect(tooltip.locator("p")).toHaveText(said);
  await expect(slider).toHaveAttribute("aria-valuetext", `${monday(3)}: 42, 12 weeks before 38, +4 (+11%)`);
  await page.keyboard.press("Escape");
  await expect(tooltip).toHaveCount(0);
});

test.describe("by touch", () => {
  test.skip(({ browserName }) => browserName === "firefox", "Playwright has no touch screen in Firefox");
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test("a tap on a bar says its figure until another place is tapped", async ({ page, open }) => {
    await open("/admin?weeks=4");
    const bar = chartOf(page, "New accounts").locator(".visx-bar").nth(0);
    await bar.scrollIntoViewIfNeeded();
    const { x, y, width } = (await bar.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    // Near its edge, where a thumb of another width would count for the next one.
    await page.touchscreen.tap(x + width - 2, y - 2);
    const tooltip = page.locator(".chart-tooltip");
    await expect(tooltip.locator("p").first()).toHaveText(`Week of ${monday(3)}`);
    await expect(tooltip.locator(".chart-value")).toHaveText("42");
    await page.getByRole("heading", { name: "New accounts" }).tap();
    await expect(tooltip).toHaveCount(0);
  });
});

test("the overview shows other weeks, and the weeks alone, in the document it is", async ({ page, open }) => {
  await open("/admin");
  const chart = chartOf(page, "New accounts");
  await expect(chart.locator(".visx-bar")).toHaveCount(12);
  await expect(chart.locator(LINE)).toHaveCount(1);
  await page.evaluate(() => {
    document.documentElement.dataset.isSame = "yes";
  });
  const link = page.getByRole("link", { name: "4 weeks", exact: true });
  await link.scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  await link.click();
  await expect(chart.locator(".visx-bar")).toHaveCount(4);
  await expect(page).toHaveURL("/admin?weeks=4");
  expect(await page.evaluate(() => scrollY)).toBe(before);
  expect(await rowsOf(chart)).toContainEqual([monday(3), "42", "21"]);
  expect((await rowsOf(chart))[1]?.[0]).toBe("So far");

  await page.getByRole("link", { name: "Not compared" }).click();
  await expect(chart.locator(LINE)).toHaveCount(0);
  expect(await rowsOf(chart)).toContainEqual([monday(3), "42"]);
  await expect(chart.locator(".visx-bar")).toHaveCount(4);
  await expect(page.locator("html[data-is-same]")).toHaveCount(1);
});

test("the funnel and a code have charts of the same kind", async ({ page, server, open }) => {
  await server.pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type) VALUES ('CHARTED', 'basic', 'forever') ON CONFLICT DO NOTHING",
  );
  await open("/admin/funnel?weeks=52");
  await expect(chartOf(page, "New accounts").locator(".visx-bar")).toHaveCount(52);
  await page.getByRole("link", { name: "26 weeks" }).click();
  await expect(chartOf(page, "New accounts").locator(".visx-bar")).toHaveCount(26);
  await open("/admin/codes/CHARTED");
  await expect(chartOf(page, "Redemptions, last 30 days")).toContainText("Nothing in the last 30 days.");
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     SELECT gen_random_uuid(), id, 'basic', 'promo', 'CHARTED', now() FROM "user" LIMIT 1;
     UPDATE promo_codes SET used_count = used_count + 1 WHERE code = 'CHARTED'`,
  );
  await page.reload();
  await expect(chartOf(page, "Redemptions, last 30 days").locator(".visx-bar")).toHaveCount(30);
});

test("a chart whose script cannot be fetched stays as the server drew it", async ({ page, open }) => {
  await page.route(/live-chart/, (route) => route.abort());
  const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("live-chart"));
  await open("/admin");
  await failed;
  await page.getByRole("link", { name: "4 weeks", exact: true }).click();
  const chart = chartOf(page, "New accounts");
  await expect(chart.locator("rect")).toHaveCount(4);
  await expect(chart.locator(".chart-drawn")).toBeVisible();
  expect(await rowsOf(chart)).toContainEqual([monday(3), "42", "21"]);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("charts are drawn where those with scripts will be, and their weeks are chosen by links", async ({
    page,
    open,
  }) => {
    await open("/admin");
    const chart = chartOf(page, "New accounts");
    await expect(chart.locator("rect")).toHaveCount(12);
    await expect(chart.locator("polyline")).toHaveCount(1);
    expect(await rowsOf(chart)).toContainEqual([monday(3), "42", "38"]);
    await page.getByRole("link", { name: "4 weeks", exact: true }).click();
    await expect(page).toHaveURL("/admin?weeks=4#weeks");
    await expect(chart.locator("rect")).toHaveCount(4);
    expect(await rowsOf(chart)).toContainEqual([monday(3), "42", "21"]);
    await page.getByRole("link", { name: "Not compared" }).click();
    await expect(chart.locator("polyline")).toHaveCount(0);
    expect(await rowsOf(chart)).toContainEqual([monday(3), "42"]);
  });
});

test("bars stay where they are when scripts draw the chart", async ({
  page,
  browser,
  context,
  server,
  open,
  browserName,
}) => {
  test.skip(browserName === "firefox", NO_PLAIN_PAGES);
  const plain = await browser.newContext({ javaScriptEnabled: false, baseURL: server.origin });
  await plain.addCookies(await context.cookies());
  const drawn = await plain.newPage();
  await drawn.goto("/admin");
  await open("/admin");
  await expect(chartOf(page, "New accounts").locator(".visx-bar")).toHaveCount(12);
  const before = await edgesOf(drawn, "rect");
  const after = await edgesOf(page, ".visx-bar");
  expect(before).toHaveLength(12 * 4);
  expect(after.map((edge, index) => Math.abs(edge - (before[index] ?? 0)) < 1)).toEqual(
    before.map(() => true),
  );
  await plain.close();
});

/** Where the bars of the chart of accounts are within it, in pixels. */
async function edgesOf(page: Page, bars: string): Promise<number[]> {
  const chart = chartOf(page, "New accounts");
  const frame = await chart.boundingBox();
  const boxes = await Promise.all((await chart.locator(bars).all()).map((bar) => bar.boundingBox()));
  return boxes.flatMap((box) =>
    box && frame ? [box.x - frame.x, box.y - frame.y, box.width, box.height] : [],
  );
}
