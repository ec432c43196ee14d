import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";

/** The places of the two style elements: in the head and after the first screen. */
const [FIRST, REST] = ["head > style", "body style"] as const;

for (const path of ["/", "/pricing"])
  for (const width of [360, 1280])
    test(`${path} at ${width} px has its first screen painted before the rest of the styles is read`, async ({
      page,
    }) => {
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
          return [...style].map(
            (property) => `${name}${pseudo} ${property}: ${style.getPropertyValue(property)}`,
          );
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
