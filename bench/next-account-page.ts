import type { Browser, Page } from "@playwright/test";
import { slowDown, type Visit } from "./visit.ts";

/**
 * From the press of a link to the paint of the next account page, on a slow phone. The page is hydrated and has prefetched the
 * link.
 *
 * @param to the link's text
 * @returns milliseconds
 */
export async function nextAccountPage(browser: Browser, asked: Visit, to: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  if (asked.cookie) await context.addCookies([{ ...asked.cookie, url: asked.url }]);
  const page = await context.newPage();
  await slowDown(await context.newCDPSession(page), asked.isNetworkSlow);
  await page.goto(asked.url);
  await page.locator("html[data-hydrated]").waitFor();
  const link = page.getByRole("link", { name: to });
  const fetched = page.waitForResponse((response) => response.url().includes(".data"));
  await link.hover();
  await fetched;
  await page.waitForLoadState("networkidle");
  const painted = notePaint(page);
  await link.click();
  const milliseconds = await painted;
  await context.close();
  return milliseconds;
}

/** Waits for the frame with the next heading. @returns milliseconds since the press */
function notePaint(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const heading = () => document.querySelector("h1")?.textContent;
        const before = heading();
        addEventListener("click", ({ timeStamp }) => {
          const look = () =>
            requestAnimationFrame(() => {
              if (heading() === before) look();
              else setTimeout(() => resolve(performance.now() - timeStamp));
            });
          look();
        });
      }),
  );
}
