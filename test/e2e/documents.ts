import type { Page } from "@playwright/test";

/** Counts the documents that a page loads from now on, and those of its frames. */
export function countDocuments(page: Page): () => number {
  let documents = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) documents++;
  });
  return () => documents;
}
