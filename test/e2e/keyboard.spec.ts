import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";

test.use({ javaScriptEnabled: false });

/** Presses Tab until that is focused. @throws when it never is, or has no visible ring */
async function tabTo(page: Page, role: "link" | "button" | "radio" | "textbox", name: string | RegExp) {
  const target = page.getByRole(role, { name }).locator("visible=true").first();
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((element) => element === document.activeElement)) return target;
  }
  throw new Error(`Tab never comes to ${role} ${name}`);
}

const focused = (page: Page) => page.locator(":focus");

test("the first key leads past the navigation", async ({ page }) => {
  await page.goto("/features");
  await page.keyboard.press("Tab");
  await expect(focused(page)).toHaveText("Skip to the content");
  await expect(focused(page)).toBeInViewport();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(focused(page)).toHaveText("Pricing");
});

test("the menu opens, closes and leads on", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto("/faq");
  const menu = page.getByRole("navigation", { name: "Main" });
  await tabTo(page, "button", "Menu");
  await page.keyboard.press("Enter");
  await expect(menu).toBeVisible();
  await expect(page.getByRole("banner").getByRole("button")).toHaveAccessibleName("Close");
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(focused(page)).toHaveAccessibleName("Menu");
  await page.keyboard.press("Space");
  await tabTo(page, "link", "Pricing");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/pricing");
});

test("the toggle changes the prices", async ({ page }) => {
  await page.goto("/pricing");
  await tabTo(page, "radio", /Annual/);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText("$2.99 a month").first()).toBeVisible();
  const choose = await tabTo(page, "link", "Choose CSV Only");
  await expect(choose).toHaveAttribute("href", /billing%3Dmonthly/);
});

test("a question opens and closes", async ({ page }) => {
  await page.goto("/faq");
  const answer = page.getByText("Not yet available.");
  await page.locator("summary").filter({ hasText: "mobile app" }).focus();
  await page.keyboard.press("Enter");
  await expect(answer).toBeVisible();
  await page.keyboard.press("Space");
  await expect(answer).toBeHidden();
});

test("a form is filled and sent, and its errors lead to their fields", async ({ page }) => {
  await page.goto("/waitlist");
  await tabTo(page, "textbox", "Email address");
  await page.keyboard.type("nobody");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toBeVisible();
  await tabTo(page, "link", /^Enter an email address like/);
  await page.keyboard.press("Enter");
  await expect(focused(page)).toHaveValue("nobody");
  await page.keyboard.press("End");
  await page.keyboard.type("@example.com");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check your email");
});

test("every stop has a ring one can see", async ({ page }) => {
  await page.goto("/contact");
  let stops = 0;
  // After the last stop the focus leaves the page.
  for (await page.keyboard.press("Tab"); await focused(page).count(); await page.keyboard.press("Tab")) {
    stops++;
    const ring = await focused(page).evaluate((element) => {
      // A radio's is drawn around its whole choice.
      const style = getComputedStyle(element.closest(".choice") ?? element);
      return {
        width: Number.parseFloat(style.outlineWidth),
        style: style.outlineStyle,
        what: element.outerHTML,
      };
    });
    expect(ring).toMatchObject({ style: expect.not.stringMatching("none") });
    expect(ring.width, ring.what).toBeGreaterThanOrEqual(2);
  }
  expect(stops).toBeGreaterThan(20);
});
