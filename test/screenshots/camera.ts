import { expect, type Page } from "@playwright/test";

/** The modes in which every page is captured. Without motion, so that two runs look the same. */
export const VIEWS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [360, 768, 1280].map((width) => ({
    name: `${colorScheme} ${width}`,
    folder: `${colorScheme}-${width}`,
    width,
    use: {
      colorScheme,
      viewport: { width, height: 800 },
      contextOptions: { reducedMotion: "reduce" as const },
    },
  })),
);

/** Takes numbered pictures of whole pages into a folder. */
export function camera(page: Page, folder: string, width: number) {
  let number = 0;
  const isFirefox = page.context().browser()?.browserType().name() === "firefox";
  const parent = isFirefox ? "screenshots/firefox" : "screenshots";
  return async (name: string) => {
    // A page wider than its window is the commonest fault at 360 px.
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth),
      `${name} scrolls sideways`,
    ).toBeLessThanOrEqual(width);
    const file = `${String(++number).padStart(2, "0")}-${name.replaceAll(/[/?=]/g, "") || "home"}.png`;
    await page.screenshot({ path: `${parent}/${folder}/${file}`, fullPage: true });
  };
}
