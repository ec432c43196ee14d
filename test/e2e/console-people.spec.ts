import type { BrowserContext, Locator, Page } from "@playwright/test";
import { createOperator } from "../operator.ts";
import { openPayer } from "../plan-states.ts";
import type { TestServer } from "../server.ts";
import { createPerson } from "../users.ts";
import { expect, signIn, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

/** The operator’s browser on the overview, and a way to press that counts. */
async function openConsole(page: Page, context: BrowserContext, server: TestServer) {
  await signIn(context, server, await createOperator(server.pool));
  await page.goto("/admin");
  const counted = { presses: 0 };
  const press = async (target: Locator) => {
    counted.presses++;
    await target.click();
  };
  const find = async (words: string) => {
    await page.getByRole("searchbox", { name: "Search" }).fill(words);
    await press(page.getByRole("button", { name: "Search" }));
  };
  return { counted, press, find };
}

test("a month is given, and taken back", async ({ page, context, server }) => {
  const person = await createPerson(server.pool);
  const { counted, press, find } = await openConsole(page, context, server);
  await find(person.email);
  await press(page.getByRole("link", { name: "Give access" }));
  await page.getByLabel("Reason").fill("Helped us test");
  await expectSound(page);
  await press(page.getByRole("button", { name: "Give access" }));
  await expect(page.getByRole("status")).toContainText("Given.");
  await expect(page.getByRole("heading", { name: "Has CSV + Banking" })).toBeVisible();
  expect(counted.presses).toBeLessThanOrEqual(5);
  await press(page.getByText("Revoke", { exact: true }));
  await page.getByLabel("Reason").fill("A mistake");
  await expectSound(page);
  await press(page.getByRole("button", { name: "Revoke now" }));
  await expect(page.getByRole("heading", { name: "Has no plan" })).toBeVisible();
});

test("what was changed after its preview is not done before it is previewed again", async ({
  page,
  context,
  server,
}) => {
  const payer = await openPayer(server);
  await signIn(context, server, await createOperator(server.pool));
  const terms = new URLSearchParams({
    do: "end",
    when: "now",
    refund: "part",
    amount: "10.00",
    preview: "1",
  });
  await page.goto(`/admin/people/${payer.id}/money?${terms}`);
  const confirm = (words: string) => page.getByRole("button", { name: words, exact: true });
  const changed = page.getByText("You changed the form.");
  await expect(page.locator("html[data-hydrated]")).toHaveCount(1);
  await expect(confirm("Refund $10.00 and end the plan now")).toBeVisible();
  await page.getByLabel("At the end of the paid period").check();
  await expect(changed).toBeVisible();
  await expect(page.getByRole("button", { name: /^Refund/ })).toHaveCount(0);
  await page.getByLabel("Immediately").check();
  await expect(changed).toHaveCount(0);
  await page.getByLabel("Amount to refund").fill("20");
  await expect(changed).toBeVisible();
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(confirm("Refund $20.00 and end the plan now")).toBeVisible();
  await page.getByRole("link", { name: "Refund $49.99" }).click();
  await expect(confirm("Refund $49.99 and end the plan now")).toBeVisible();
  await expect(page.getByLabel("Amount to refund")).toHaveValue("49.99");
  await page.goBack();
  await expect(confirm("Refund $20.00 and end the plan now")).toBeVisible();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a copy of a person’s data is downloaded", async ({ page, context, server }) => {
    const person = await createPerson(server.pool);
    const { press, find } = await openConsole(page, context, server);
    await find(person.id);
    const download = page.waitForEvent("download");
    await press(page.getByRole("button", { name: "Export their data" }));
    expect((await download).suggestedFilename()).toMatch(/-account-.*\.json$/);
  });
});

test("nothing found, a choice, and the list", async ({ page, context, server }) => {
  const { find } = await openConsole(page, context, server);
  for (let made = 0; made < 3; made++) await createPerson(server.pool);
  await find("no such thing");
  await expect(page.getByRole("status").filter({ hasText: "Nothing found" })).toBeVisible();
  await expectSound(page);
  await find("ada");
  await expect(page.getByRole("region", { name: /people$/ })).toBeVisible();
  await expectSound(page);
  await page.goto("/admin/people");
  await expectSound(page);
});
