import { expect, test } from "./fixtures.ts";

test.describe("without JavaScript", () => {
  // Small, so that only what was scrolled to is in view.
  test.use({ javaScriptEnabled: false, viewport: { width: 360, height: 420 } });

  test("a link to an answer opens it, and its question is in view", async ({ page }) => {
    await page.goto("/faq#mobile-app");
    await expect(page.getByText("Not yet available.")).toBeInViewport();
    await expect(page.getByText("Is there a mobile app?")).toBeInViewport({ ratio: 1 });
    await expect(page.locator("details[open]")).toHaveCount(2);
  });

  test("there are six questions, the first one answered, and the keyboard opens and closes each by itself", async ({
    page,
  }) => {
    await page.goto("/faq");
    const questions = page.getByRole("main").locator("summary");
    await expect(questions).toHaveCount(6);
    await expect(page.locator("details[open]")).toHaveCount(1);
    await questions.first().press("Space");
    await expect(page.locator("details[open]")).toHaveCount(0);
    for (const question of await questions.all()) {
      await question.press("Enter");
      await expect(question.locator("..")).toHaveAttribute("open");
      expect((await question.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
    await expect(page.locator("details[open]")).toHaveCount(6);
    await questions.first().press("Space");
    await expect(page.locator("details[open]")).toHaveCount(5);
  });

  test("an answer's own links lead on", async ({ page }) => {
    await page.goto("/faq#cost-and-cancelling");
    const dashboard = page.locator("details[open]").getByRole("link", { name: "your dashboard" });
    await expect(dashboard).toHaveAttribute("href", "/dashboard");
    await page.goto("/faq#what-works-today");
    await page.locator("details[open]").getByRole("link", { name: "join the waitlist" }).click();
    await expect(page).toHaveURL("/waitlist");
  });

  test("every answer can be linked to", async ({ page }) => {
    await page.goto("/faq");
    const answers = page.getByRole("main").locator("details > [id]");
    const ids = await answers.evaluateAll((all) => all.map(({ id }) => id));
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) {
      await page.goto("/");
      await page.goto(`/faq#${id}`);
      await expect(page.locator(`details[open] > #${id}`)).toBeInViewport();
      await expect(page.locator("details[open]")).toHaveCount(id === ids[0] ? 1 : 2);
    }
  });
});
