import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** Every theme and width a page must be sound in. Still, because axe measures colours half-way through a fade too. */
export const LOOKS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [320, 768, 1280].map((width) => ({
    name: `${colorScheme}, ${width} px`,
    use: {
      colorScheme,
      viewport: { width, height: 800 },
      contextOptions: { reducedMotion: "reduce" as const },
    },
  })),
);

/** Each theme and each width once, for pages that are made of what others are made of. */
export const SOME_LOOKS = LOOKS.filter(({ name }) =>
  ["light, 320 px", "dark, 768 px", "light, 1280 px"].includes(name),
);

/** Whether everybody can use a page as it stands: WCAG 2.2 AA as far as axe sees it, and nothing wider than its window. */
export async function expectSound(page: Page, builder = new AxeBuilder({ page })): Promise<void> {
  const { violations } = await builder
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
    .analyze();
  expect(violations.map(({ id, nodes }) => `${page.url()} ${id} ${nodes[0]?.html}`)).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}
