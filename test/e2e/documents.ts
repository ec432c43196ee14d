import { expect, type Page } from "@playwright/test";

/** Counts the documents that a page loads from now on, and those of its frames. */
export function countDocuments(page: Page): () => number {
  let documents = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) documents++;
  });
  return () => documents;
}

/** With JavaScript or without it, a page that has none is the same: its tests need no second run. */
export const expectNoScript = (page: Page) =>
  expect(page.locator('script:not([type="application/ld+json"])')).toHaveCount(0);
