import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";

// The labels of the statement turn and shrink as they are stuck on.

/** Letters of Alegreya in em (its metrics): how far tails reach below the baseline, where its box ends, and half a capital. */
const TAILS = 0.25;
const DESCENT = 0.345;
const HALF_CAPITAL = 0.319;

/** The boxes of elements, with their font sizes, in pixels. */
function boxesOf(page: Page, selector: string) {
  return page.locator(selector).evaluateAll((elements) =>
    elements.map((element) => {
      const { top, bottom, height } = element.getBoundingClientRect();
      return { top, bottom, height, em: Number.parseFloat(getComputedStyle(element).fontSize) };
    }),
  );
}

/** Where the box of an element's first letters ends, and their size, in pixels. */
function firstTextOf(page: Page, selector: string) {
  return page.locator(selector).evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element.firstChild as Node);
    return {
      bottom: range.getBoundingClientRect().bottom,
      em: Number.parseFloat(getComputedStyle(element).fontSize),
    };
  });
}

test("labels and the wordmark have one height", async ({ page }) => {
  await page.goto("/");
  const labels = await boxesOf(page, ".statement-line .label:not([data-blank])");
  expect(labels.length).toBeGreaterThan(5);
  for (const { height, em } of labels) expect(Math.abs(height - 1.56 * em)).toBeLessThanOrEqual(1);
  const [wordmark] = await boxesOf(page, "header .label");
  expect(Math.abs((wordmark?.height ?? 0) - 1.84 * (wordmark?.em ?? 0))).toBeLessThanOrEqual(1);
});

for (const width of [390, 1280])
  test(`at ${width} px the headline's label leaves the tails of the line above whole`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/");
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    const above = await firstTextOf(page, "h1");
    const [label] = await boxesOf(page, "h1 .label");
    expect(label?.top).toBeGreaterThan(above.bottom - (DESCENT - TAILS) * above.em);
  });

test("an initial is in the middle of its circle", async ({ page, openSignedIn }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openSignedIn("/dashboard");
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  const [circle] = await boxesOf(page, ".photo");
  const letter = await firstTextOf(page, ".photo");
  const middle = letter.bottom - (DESCENT + HALF_CAPITAL) * letter.em;
  expect(Math.abs(middle - ((circle?.top ?? 0) + (circle?.bottom ?? 0)) / 2)).toBeLessThanOrEqual(1);
});
