import { expect, test } from "./fixtures.ts";

test("the list of sections stays beside a long text and leads to each of them", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/terms");
  const sections = page.getByRole("navigation", { name: "On this page" });
  await sections.getByRole("link", { name: "Refunds" }).click();
  await expect(page).toHaveURL("/terms#refunds");
  await expect(page.getByRole("heading", { name: "Refunds" })).toBeInViewport();
  await expect(sections.getByRole("link").last()).toBeInViewport();
});

test("where the list has just come beside the text, neither is wider than the window", async ({ page }) => {
  for (const width of [960, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of ["/privacy", "/terms"]) {
      await page.goto(path);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(
        width,
      );
    }
  }
});
