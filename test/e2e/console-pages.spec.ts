import type { Page } from "@playwright/test";
import { consoleRoutes, fillConsole } from "../console.ts";
import { createOperator } from "../operator.ts";
import { startServer } from "../server.ts";
import { expect, signIn, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

const WIDTHS = [390, 1280];

/** What the first visit of any page may weigh, everything included, in bytes. */
const MOST_BYTES = 200_000;

test("every page of the console is sound at 1280 and 390 px in both themes, light, and hydrated", async ({
  context,
  browserName,
}) => {
  // Of its own: it leaves jobs that are never done, which other tests would wait for.
  const server = await startServer();
  const { operator, pages } = await fillConsole(server);
  expect(pages.size).toBe(consoleRoutes().length);
  await signIn(context, server, operator);
  /** All of them: what is wrong with one page is often wrong with another. */
  const faults: string[] = [];
  const weights: [bytes: number, path: string][] = [];
  for (const [route, path] of pages) {
    const page = await context.newPage();
    // Bytes are counted by Chromium's own protocol.
    const stopWeighing = browserName === "chromium" ? await weigh(page) : async () => 0;
    const answer = await page.goto(server.origin + path, { waitUntil: "networkidle" });
    expect(answer?.status(), route).toBe(200);
    await expect(page.locator("html[data-hydrated]"), route).toHaveCount(1);
    weights.push([await stopWeighing(), route]);

    await page.locator("details").evaluateAll((all) => {
      for (const details of all as HTMLDetailsElement[]) details.open = true;
    });
    // A field names its form by id: with two of one, it may be sent with nothing.
    const ids = await page.locator("[id]").evaluateAll((elements) => elements.map(({ id }) => id));
    expect(ids, route).toEqual([...new Set(ids)]);
    await expectSound(page, undefined, WIDTHS).catch(({ message }: Error) => faults.push(message));
    await page.close();
  }
  weights.sort(([a], [b]) => b - a);
  console.log("the heaviest pages of the console:", weights.slice(0, 3));
  expect(faults).toEqual([]);
  expect(weights.filter(([bytes]) => bytes > MOST_BYTES)).toEqual([]);
  await server.stop();
});

test("what a form will make is said as it is typed: a code, a batch and an entry of the changelog", async ({
  page,
  context,
  server,
  open,
}) => {
  await signIn(context, server, await createOperator(server.pool));
  await open("/admin/new-code");
  await expect(page.getByText("A random code gives anyone 1 month of the plan they choose.")).toBeVisible();
  await page.getByLabel("Code", { exact: true }).fill("spring");
  await page.getByLabel("Plan").selectOption("CSV + Banking");
  await page.getByLabel("Months", { exact: true }).fill("3");
  await page.getByLabel("Uses", { exact: true }).fill("5");
  await expect(page.getByText("SPRING gives 5 people 3 months of CSV + Banking.")).toBeVisible();
  await open("/admin/batches/new");
  await page.getByLabel("How many codes").fill("200");
  await expect(
    page.getByText("Each of 200 codes gives 1 person 1 month of the plan they choose."),
  ).toBeVisible();
  await open("/admin/changelog");
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview).toHaveCount(0);
  await page.getByLabel("Title").fill("The first file");
  await page.getByLabel("Text").fill("It is read.\n\nAnd sorted.");
  await expect(preview.getByRole("heading")).toHaveText("The first file");
  await expect(preview.getByRole("paragraph")).toHaveText(["Preview", /./, "It is read.", "And sorted."]);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("the box that selects all rows says so", async ({ page, context, server, open }) => {
    await signIn(context, server, await createOperator(server.pool));
    await open("/admin/codes");
    await expect(page.getByText("Select all codes on this page")).toBeInViewport({ ratio: 1 });
  });

  test("the current link is in view in each row that scrolls", async ({ page, context, server, open }) => {
    await signIn(context, server, await createOperator(server.pool));
    for (const path of [
      "/admin/people",
      "/admin/messages",
      "/admin/log",
      "/admin/funnel?by=referral&weeks=52",
    ]) {
      await open(path);
      const rows = page.getByRole("navigation", { name: /^(Console|What the rows are|How far back)$/ });
      const current = rows.locator("[aria-current]");
      await expect(current).toHaveCount(path.includes("funnel") ? 3 : 1);
      for (const link of await current.all()) await expect(link, path).toBeInViewport({ ratio: 1 });
    }
    await page.getByRole("link", { name: "Step by step", exact: true }).click();
    await expect(page.getByText("Step by step", { exact: true })).toBeInViewport({ ratio: 1 });
  });
});

/** Counts what a page loads from now on, without the cache. @returns stops it, and returns the bytes */
async function weigh(page: Page): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  let bytes = 0;
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await cdp.send("Network.enable");
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  return async () => {
    await cdp.detach();
    return bytes;
  };
}
