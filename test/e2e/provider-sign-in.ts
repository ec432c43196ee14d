import type { Page } from "@playwright/test";
import { expect } from "./fixtures.ts";

/** Presses a button of the page. */
export function press(page: Page, name: string) {
  return page.getByRole("main").getByRole("button", { name, exact: true }).click();
}

/** Presses the button of a provider. @returns the window it opens */
export async function openPopup(page: Page, name: "Google" | "Facebook"): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent("popup"), press(page, `Continue with ${name}`)]);
  await expect(popup.getByRole("heading", { name: "Choose an account" })).toBeVisible();
  return popup;
}

/** Expects the error's text and code. */
export async function expectFailure(page: Page, code: string, text: string | RegExp) {
  await expect(page.locator(`[data-code="${code}"]`)).toHaveText(text);
}
