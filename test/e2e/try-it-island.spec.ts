import { brotliCompressSync } from "node:zlib";
import type { Locator, Page, Request } from "@playwright/test";
import { eventually } from "../http.ts";
import { expect, test } from "./fixtures.ts";
import { IN_MOTION } from "./looks.ts";
import { fields, GIVEN, LOW, labelsOn, openIsland, openPaste, section, statementOf } from "./try-it.ts";

/** React for the browser, and a few kilobytes of ours. */
const ISLAND_BYTES = 64_500;

test.describe("its script", () => {
  test.use({ viewport: LOW });

  test("comes when the section comes into view, small and alone", async ({ page, baseURL }) => {
    const scripts: Request[] = [];
    page.on("request", (request) => request.resourceType() === "script" && scripts.push(request));
    const response = await page.goto("/why-different");
    const top = await section(page).evaluate((element) => element.getBoundingClientRect().top);
    expect(top).toBeGreaterThan(LOW.height);
    await page.waitForLoadState("networkidle");
    expect(scripts).toEqual([]);
    await expect(section(page)).toContainText("goes to our server as part of the link");

    const policy = response?.headers()["content-security-policy"] ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/=]{44}'; style-src 'sha256-/);
    expect(policy).toContain(`connect-src ${baseURL}/robots.txt; form-action 'self';`);

    await fields(page, 1).name.scrollIntoViewIfNeeded();
    await expect(section(page)).toContainText(
      "Nothing you type here leaves your browser or is stored, unless",
    );
    await page.waitForLoadState("networkidle");
    expect(scripts.map((request) => request.url())).toEqual([
      expect.stringMatching(new RegExp(`^${baseURL}/assets/try-it-island-[\\w-]{8}\\.js$`)),
    ]);
    const script = await scripts[0]?.response();
    expect(script?.headers()["cache-control"]).toContain("immutable");
    const bytes = brotliCompressSync((await script?.body()) ?? "").length;
    console.log(`the island of Try it: ${bytes} bytes of brotli`);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThanOrEqual(ISLAND_BYTES);
  });

  test("leaves the form to the server when it does not come", async ({ page }) => {
    let asked = 0;
    await page.route("**/assets/try-it-island-*.js", (route) => {
      asked++;
      return route.abort();
    });
    await page.goto("/why-different#try-it");
    await eventually(async () => asked === 1, "the island is asked for");
    await expect(section(page)).toContainText("goes to our server as part of the link");
    await fields(page, 1).keywords.fill("mta");
    await section(page).getByRole("button", { name: "Stick the labels on" }).click();
    await expect(page).toHaveURL(/keywords=mta/);
    expect((await labelsOn(page))["MTA*NYCT PAYGO"]).toBe("Sunday shop");
  });
});

test("labels follow what is typed, and what was typed before the island came", async ({ page }) => {
  await page.setViewportSize(LOW);
  await page.goto("/why-different");
  // Typed by a script, because a person's typing would bring the section into view.
  await fields(page, 1).name.evaluate((input: HTMLInputElement) => {
    input.value = "The weekly shop";
  });
  await fields(page, 1).name.scrollIntoViewIfNeeded();
  await expect(section(page).getByText("The weekly shop")).toHaveCount(4);

  await fields(page, 1).name.fill("Coffee");
  await fields(page, 1).keywords.fill("cafe");
  expect(await labelsOn(page)).toEqual({ ...GIVEN, "CAFÉ ODÉON": "Coffee" });
  await fields(page, 1).keywords.pressSequentially(", kroge");
  expect(Object.keys(await labelsOn(page))).not.toContain("KROGER #4412");
  await fields(page, 1).keywords.pressSequentially("r");
  expect((await labelsOn(page))["KROGER #4412"]).toBe("Coffee");
  await expect(section(page).getByRole("status")).toHaveText("6 of 12 labeled, 6 need a name.");
  await fields(page, 1).name.fill("é".repeat(41));
  await expect(section(page).getByRole("status")).toContainText("at most 40 characters");
  await expect(fields(page, 1).name).toHaveValue("é".repeat(41));
});

/** A label of the statement, which notes how long each motion of its takes. */
async function watchedLabel(page: Page) {
  const label = section(page).getByText("MTA*NYCT PAYGO").locator("~ .label");
  expect(await motionsOf(label)).toBe(0);
  await label.evaluate((element) => {
    // Noted at once: it is over in a moment.
    element.addEventListener("animationstart", () =>
      element.setAttribute(
        "data-started",
        element
          .getAnimations()
          .map((animation) => animation.effect?.getTiming().duration)
          .join(),
      ),
    );
  });
  return label;
}

function motionsOf(label: Locator): Promise<number> {
  return label.evaluate((element) => element.getAnimations().length);
}

test.describe("in motion", () => {
  test.use(IN_MOTION);

  test("a new label is stuck on in a moment, and a renamed one stays", async ({ page }) => {
    await openIsland(page);
    const tag = await watchedLabel(page);
    await fields(page, 1).keywords.fill("mta");
    await expect(tag).toHaveAttribute("data-started", "180");
    await tag.evaluate((label) => label.removeAttribute("data-started"));
    await fields(page, 1).name.fill("Getting to work");
    await expect(tag).toHaveText("Getting to work");
    await expect(tag).not.toHaveAttribute("data-started");
  });
});

test("for those who ask for little motion, a new label is there at once", async ({ page }) => {
  await openIsland(page);
  const tag = await watchedLabel(page);
  await fields(page, 1).keywords.fill("mta");
  await expect(tag).toHaveText("Sunday shop");
  await expect(tag).not.toHaveAttribute("data-started");
  expect(await motionsOf(tag)).toBe(0);
});

test("nothing that is typed is sent or kept, only once that somebody did", async ({
  page,
  context,
  baseURL,
}) => {
  await openIsland(page);
  await page.waitForLoadState("networkidle");
  const address = page.url();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));

  const attack = `<img src=/x onerror="document.title='had'"><script>document.title='had'</script>`;
  await fields(page, 1).name.fill(attack.slice(0, 40));
  await fields(page, 1).keywords.fill("shop, img, cash");
  await section(page).getByRole("button", { name: "Add another category" }).click();
  await fields(page, 2).name.fill("javascript:alert(1)");
  await fields(page, 2).name.press("Enter");
  await (await openPaste(page)).fill(`${attack},-1.00\nSHOP,-2.00`);
  await expect(statementOf(page).getByText(attack)).toBeVisible();
  await expect(section(page).getByRole("status")).toContainText("2 lines");
  await expect(section(page).locator("img, script")).toHaveCount(0);

  await page.waitForLoadState("networkidle");
  expect(requests).toEqual([`${baseURL}/try-it`]);
  expect(page.url()).toBe(address);
  await expect(page).toHaveTitle(/Why We're Different/);
  expect(await context.cookies()).toEqual([]);
  const kept = await page.evaluate(async () => [
    localStorage.length,
    sessionStorage.length,
    (await indexedDB.databases()).length,
  ]);
  expect(kept).toEqual([0, 0, 0]);
});
