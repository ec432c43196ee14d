import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const WIDTHS = [320, 768, 1280];
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** What another theme can change: of everything axe looks at, only the colours. */
const RULES_OF_COLOUR = ["color-contrast", "link-in-text-block"];

/** For tests that call `expectSound`: axe measures colours half-way through a fade, too. */
export const STILL = { contextOptions: { reducedMotion: "reduce" as const } };

/**
 * Whether everybody can use a page as it stands, at every width and in both themes: WCAG 2.2 AA as far as axe sees it, and
 * nothing wider than its window.
 *
 * @param without what axe leaves out: a frame that shows a stranger's document and runs nothing
 */
export async function expectSound(page: Page, without?: string): Promise<void> {
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: "light" });
    expect(await faultsOf(page, (axe) => axe.withTags(WCAG), without), `light, ${width} px`).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await faultsOf(page, (axe) => axe.withRules(RULES_OF_COLOUR), without);
    expect(dark, `dark, ${width} px`).toEqual([]);
    const needed = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(needed, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(width);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
}

async function faultsOf(
  page: Page,
  choose: (axe: AxeBuilder) => AxeBuilder,
  without?: string,
): Promise<string[]> {
  // Legacy: in the page itself instead of by way of a new one. No page of ours has a frame that could run axe.
  const axe = choose(new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] }));
  const { violations } = await (without ? axe.exclude(without) : axe).analyze();
  return violations.map(({ id, nodes }) => `${page.url()} ${id} ${nodes[0]?.html}`);
}
