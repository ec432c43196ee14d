import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "./fixtures.ts";

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [320, 1280]) {
    test(`open answers and long texts have no accessibility fault, ${colorScheme}, ${width} px`, async ({
      browser,
      server,
    }) => {
      const context = await browser.newContext({
        baseURL: server.origin,
        colorScheme,
        viewport: { width, height: 800 },
      });
      const page = await context.newPage();
      for (const path of ["/faq", "/privacy", "/terms"]) {
        await page.goto(path);
        await page.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        const { violations } = await new AxeBuilder({ page })
          .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
          .analyze();
        expect(violations.map(({ id, nodes }) => `${path} ${id} ${nodes[0]?.html}`)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
      await context.close();
    });
  }
}

test("the list of sections stays beside a long text and leads to each of them", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/terms");
  const sections = page.getByRole("navigation", { name: "On this page" });
  await sections.getByRole("link", { name: "Refunds" }).click();
  await expect(page).toHaveURL("/terms#refunds");
  await expect(page.getByRole("heading", { name: "Refunds" })).toBeInViewport();
  await expect(sections.getByRole("link").last()).toBeInViewport();
});
