import { expect, type Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";

const WIDTHS = [320, 768, 1280];
const WCAG: RunOptions["runOnly"] = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
};
/** What another theme can change: of everything axe looks at, only the colours. */
const RULES_OF_COLOUR: RunOptions["runOnly"] = {
  type: "rule",
  values: ["color-contrast", "link-in-text-block"],
};

/** For tests that call `expectSound`: axe measures colours half-way through a fade, too. */
export const STILL = { contextOptions: { reducedMotion: "reduce" as const } };

/**
 * Whether everybody can use a page as it stands: WCAG 2.2 AA as far as axe sees it, at the narrowest and the widest width, with the
 * colors of both themes, and nothing wider than its window at any.
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
  await page.emulateMedia({ colorScheme: "light" });
  for (const [index, width] of widths.entries()) {
    await page.setViewportSize({ width, height: 800 });
    const needed = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(needed, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(width);
    // Between the narrowest and the widest nothing is shown that neither shows.
    if (index === 0 || index === widths.length - 1)
      expect(await faultsOf(page, WCAG, without), `light, ${width} px`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await faultsOf(page, RULES_OF_COLOUR, without), "dark").toEqual([]);
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
}

/** Asked in the page itself: another page for every question, as axe's own Playwright package has it, costs thrice the time. */
async function faultsOf(page: Page, runOnly: RunOptions["runOnly"], without?: string): Promise<string[]> {
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
    { runOnly, without },
  );
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
