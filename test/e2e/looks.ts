import { expect, type Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";

/** Each is judged and photographed. */
export const ACCOUNT_PAGES = [
  "/account",
  "/account/photo",
  "/account/email",
  "/account/password",
  "/account/connections",
  "/account/sessions",
  "/account/delete",
];

const WIDTHS = [320, 768, 1280];
const WCAG: RunOptions["runOnly"] = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
};
/** As most people have it; other tests ask for little motion, see playwright.config.ts. */
export const IN_MOTION = { contextOptions: { reducedMotion: "no-preference" as const } };

/**
 * Whether a page is accessible: WCAG 2.2 AA as far as axe sees it, in the light theme at the narrowest width and in the dark
 * theme at the widest, and nothing wider than its window at any width.
 *
 * @param without what axe leaves out: a frame that shows a stranger's document and runs nothing
 */
export async function expectSound(
  page: Page,
  without?: string,
  widths: readonly number[] = WIDTHS,
): Promise<void> {
  const before = page.viewportSize();
  const isThere = await page.evaluate(() => "axe" in window);
  if (!isThere) await page.evaluate(axe.source);
  for (const [index, width] of widths.entries()) {
    const isWidest = index === widths.length - 1;
    const colorScheme = isWidest ? "dark" : "light";
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const needed = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(needed, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(width);
    if (index === 0 || isWidest)
      expect(await faultsOf(page, without), `${colorScheme}, ${width} px`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
}

/** Asked in the page itself: another page for every question, as axe's own Playwright package has it, costs thrice the time. */
async function faultsOf(page: Page, without?: string): Promise<string[]> {
  return page.evaluate(
    async ({ runOnly, without }) => {
      const context = without ? { exclude: [[without]] } : document;
      // No page of ours has a frame that could run axe.
      const { violations } = await window.axe.run(context, {
        runOnly,
        resultTypes: ["violations"],
        iframes: false,
      });
      return violations.map(({ id, nodes }) => `${location.href} ${id} ${nodes[0]?.html}`);
    },
    { runOnly: WCAG, without },
  );
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
