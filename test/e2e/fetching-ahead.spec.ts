import { PUBLIC_PAGES } from "../../app/marketing/pages.ts";
import { eventually } from "../http.ts";
import { expect, test } from "./fixtures.ts";

test("a browser may fetch public pages ahead, and nothing else", async ({ page, context, baseURL }) => {
  const cdp = await context.newCDPSession(page);
  let candidates: string[] = [];
  cdp.on("Preload.preloadingAttemptSourcesUpdated", ({ preloadingAttemptSources }) => {
    candidates = preloadingAttemptSources.map(({ key }) => key.url);
  });
  await cdp.send("Preload.enable");
  await page.goto("/pricing");
  await eventually(async () => candidates.includes(`${baseURL}/faq`), "pages may be fetched ahead");

  const allowed = PUBLIC_PAGES.map(({ path }) => baseURL + path);
  expect(candidates.filter((url) => !allowed.includes(url.replace(/#.*/, "")))).toEqual([]);
  // All of these are links of the page too.
  for (const other of ["/login", "/register?return_to", "/contact?topic"]) {
    expect(await page.locator(`a[href^="${other}"]`).count()).toBeGreaterThan(0);
  }
});
