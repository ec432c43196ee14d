import { expect, test } from "./fixtures.ts";

const WIDTHS = [390, 1280];

for (const path of ["/", "/pricing"]) {
  test(`what ${path} shows first looks the same before the rest of its styles has come`, async ({ page }) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(path);
      const { elements, differences } = await page.evaluate(() => {
        const rest = document.querySelector<HTMLStyleElement>("body style");
        if (!rest?.sheet) throw new Error("the page has all its styles in its head");
        const first = [...document.querySelectorAll("body *")].filter(
          (each) => rest.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING,
        );
        const looks = () =>
          first.flatMap((element) => {
            // What follows inside of it is not there yet either.
            if (element.contains(rest)) return [];
            return ["", "::before", "::after"].map((part) => {
              const style = getComputedStyle(element, part || null);
              return [...style].map((name) => `${name}: ${style.getPropertyValue(name)}`).join("\n");
            });
          });
        const all = looks();
        rest.sheet.disabled = true;
        const early = looks();
        return {
          elements: first.length,
          differences: all.flatMap((look, at) => {
            const other = new Set(early[at]?.split("\n"));
            return look
              .split("\n")
              .filter(
                (line) =>
                  !other.has(line) &&
                  !/^(height|width|block-size|inline-size|perspective-origin|transform-origin|top|bottom|inset)/.test(
                    line,
                  ),
              )
              .map((line) => `${first[Math.floor(at / 3)]?.outerHTML.slice(0, 80)} ${line}`);
          }),
        };
      });
      expect(elements).toBeGreaterThan(20);
      expect(differences).toEqual([]);
    }
  });
}
