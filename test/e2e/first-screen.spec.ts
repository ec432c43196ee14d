import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";

/** The places of the two style elements: in the head and after the first screen. */
const [FIRST, REST] = ["head > style", "body style"] as const;

for (const path of ["/", "/pricing", "/pricing?promo=WRONG"])
  for (const width of [360, 1280])
    test(`${path} at ${width} px has all styles of its first screen in the head`, async ({ page }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.goto(path);
      const [first, rest] = await Promise.all(
        [page.locator(FIRST), page.locator(REST)].map((at) => at.innerHTML()),
      );
      expect(first?.length).toBeLessThan((rest?.length ?? 0) * 0.6);
      await removeAllAfter(page, REST);
      expect(await changedWithout(page, REST)).toEqual([]);
      expect((await changedWithout(page, FIRST, REST)).length).toBeGreaterThan(100);

      await page.keyboard.press("Tab");
      await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
      expect(await changedWithout(page, REST)).toEqual([]);
      if (width === 360) {
        await page.getByRole("button", { name: "Menu" }).click();
        await expect(page.getByRole("link", { name: "FAQ" })).toBeVisible();
        expect(await changedWithout(page, REST)).toEqual([]);
      }
      await page.emulateMedia({ reducedMotion: "reduce", forcedColors: "active" });
      expect(await changedWithout(page, REST)).toEqual([]);
    });

for (const path of ["/", "/pricing"])
  test(`${path} has what search engines alone read at its end`, async ({ page }) => {
    await page.goto(path);
    await expect(page.locator('body > script[type="application/ld+json"]:last-child')).toHaveCount(1);
    await expect(page.locator('script[type="application/ld+json"]')).toHaveCount(1);
  });

for (const path of ["/", "/pricing"])
  test(`${path} on a phone keeps in place what has been read of its first screen`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(path);
    await removeAllAfter(page, REST);
    expect(await movedByWhatFollows(page)).toEqual([]);
  });

function removeAllAfter(page: Page, selector: string) {
  return page.locator(selector).evaluate((end) => {
    for (const each of document.body.querySelectorAll("*"))
      if (end.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) each.remove();
  });
}

/** What an element or one of its pseudo-elements would look like differently without those styles. */
function changedWithout(page: Page, ...selectors: string[]): Promise<string[]> {
  return page.evaluate((selectors) => {
    const elements = [document.documentElement, ...document.querySelectorAll("body, body :not(style)")];
    const looks = () =>
      elements.flatMap((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const name = `${element.tagName} ${element.getAttribute("class") ?? ""}`;
        const styles = ["", "::before", "::after"].flatMap((pseudo) => {
          const style = getComputedStyle(element, pseudo);
          // Custom properties are seen in those that read them.
          return [...style]
            .filter((property) => !property.startsWith("--"))
            .map((property) => `${name}${pseudo} ${property}: ${style.getPropertyValue(property)}`);
        });
        return [`${name} box: ${[x, y, width, height]}`, ...styles];
      });
    const sheets = selectors.map((selector) => document.querySelector<HTMLStyleElement>(selector)?.sheet);
    const disable = (isDisabled: boolean) => {
      for (const sheet of sheets) if (sheet) sheet.disabled = isDisabled;
    };
    const before = looks();
    disable(true);
    const without = looks();
    disable(false);
    return before.filter((look, index) => look !== without[index]);
  }, selectors);
}

/** From how many pixels on browsers count a move as a layout shift: https://wicg.github.io/layout-instability/#sec-basic-concepts */
const SHIFT_PIXELS = 3;

/** Which elements would have been elsewhere, had the page been painted when they were read and what follows them was not. */
function movedByWhatFollows(page: Page): Promise<string[]> {
  return page.evaluate((shiftPixels) => {
    const read = [...document.querySelectorAll("body :not(style)")];
    const whole = new Map(
      read.map((element) => [element, { box: element.getBoundingClientRect(), html: element.innerHTML }]),
    );
    const moved = new Set<string>();
    while (read.length > 0) {
      read.pop()?.remove();
      for (const element of read) {
        const [now, then] = [element.getBoundingClientRect(), whole.get(element)];
        if (!then || then.html !== element.innerHTML) continue;
        if (Math.max(Math.abs(now.x - then.box.x), Math.abs(now.y - then.box.y)) >= shiftPixels)
          moved.add(
            `${element.outerHTML.slice(0, 80)} was at ${now.x}, ${now.y}, then at ${then.box.x}, ${then.box.y}`,
          );
      }
    }
    return [...moved];
  }, SHIFT_PIXELS);
}
