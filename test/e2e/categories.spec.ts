import type { Page } from "@playwright/test";
import { createPerson } from "../users.ts";
import { expect, PASSWORD, register, signIn, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";
import { openIsland, section, fields as tryItFields } from "./try-it.ts";

/** The two fields of a category on the account's page. */
function fields(page: Page, number: number) {
  const group = page.getByRole("group", { name: `Category ${number} of 6` });
  return { name: group.getByLabel("Category"), keywords: group.getByLabel("Keywords") };
}

const save = (page: Page) => page.getByRole("button", { name: "Save categories" }).click();

const categoriesOn = (page: Page) =>
  page.getByRole("region", { name: "Your categories" }).getByRole("listitem");

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("words of Try it come along through signing up, and are saved when their owner says so", async ({
    page,
    context,
    server,
  }) => {
    await page.goto("/why-different");
    await tryItFields(page, 1).name.fill("Too much coffee");
    await tryItFields(page, 1).keywords.fill("cafe\ncoffee");
    await section(page).getByRole("button", { name: "Stick the labels on" }).click();
    await section(page).getByRole("link", { name: "Keep my categories" }).click();
    await expect(page.getByText("Your words come along: Too much coffee.")).toBeVisible();
    expect(await context.cookies()).toEqual([]);
    const email = await register(page);
    await expect(page).toHaveURL(/\/dashboard\/categories\?category=/);
    await expect(page.getByText("They are not saved yet")).toBeVisible();
    await expect(page.getByRole("status").last()).toContainText("2 of 12 labeled");
    await expect(page.getByRole("button", { name: /^Remove/ })).toHaveCount(0);
    const count = async () =>
      (
        await server.pool.query(`SELECT FROM saved_categories JOIN "user" ON id = user_id WHERE email = $1`, [
          email,
        ])
      ).rowCount;
    expect(await count()).toBe(0);

    await fields(page, 2).name.fill("x".repeat(41));
    await save(page);
    await expect(page.getByRole("alert")).toContainText("Your categories weren’t saved");
    await expect(fields(page, 1).name).toHaveValue("Too much coffee");
    await expect(fields(page, 2).name).toHaveAccessibleDescription(
      /Enter a name of at most 40 characters Whatever you call it at home\./,
    );
    expect(await count()).toBe(0);
    await fields(page, 2).name.fill("Sunday shop");
    await save(page);
    await expect(page.getByText("Saved.")).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Back to your dashboard" }).first().click();
    await expect(categoriesOn(page)).toHaveText([
      "Too much coffee would label SQ *CORNER COFFEE, CAFÉ ODÉON",
      "Sunday shop labels nothing in the sample statement",
    ]);
    expect(await count()).toBe(1);

    await page.getByRole("link", { name: "Edit your categories" }).click();
    await page.getByRole("button", { name: "Remove category 1" }).click();
    await expect(page.getByText("Saved.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Remove category 2" })).toHaveCount(0);
    await fields(page, 1).name.press("Enter");
    await expect(page.getByText("Saved.")).toBeVisible();
    await page.goto("/dashboard");
    await expect(categoriesOn(page)).toHaveText(["Sunday shop labels nothing in the sample statement"]);
  });
});

test("up to six are typed in Try it, taken along through logging in, and edited with their labels in view", async ({
  page,
  server,
}) => {
  const person = await createPerson(server.pool);
  await openIsland(page);
  const add = section(page).getByRole("button", { name: "Add another category" });
  for (let number = 2; number <= 6; number++) {
    await add.click();
    await tryItFields(page, number).name.fill(`Number ${number}`);
  }
  await expect(add).toHaveCount(0);
  await tryItFields(page, 6).keywords.fill("mta");
  await section(page).getByRole("button", { name: "Remove category 2" }).click();
  await expect(add).toBeVisible();
  await section(page).getByRole("link", { name: "Keep my categories" }).click();
  await page.getByRole("main").getByRole("link", { name: "Login" }).click();
  await expect(page.getByRole("heading", { name: "Login" })).toBeVisible();
  await page.getByLabel("Email address").fill(person.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();

  await expect(page.getByText("They are not saved yet")).toBeVisible();
  await expect(fields(page, 1).name).toHaveValue("Sunday shop");
  await expect(fields(page, 5).name).toHaveValue("Number 6");
  const line = (text: string) =>
    page.getByRole("list", { name: "Statement" }).getByText(text).locator("~ .label");
  await expect(line("MTA*NYCT PAYGO")).toHaveText("Number 6");
  await fields(page, 5).name.fill("Getting to work");
  await expect(line("MTA*NYCT PAYGO")).toHaveText("Getting to work");
  await page.getByRole("button", { name: "Remove category 2" }).click();
  await expect(fields(page, 4).name).toHaveValue("Getting to work");
  await save(page);
  await expect(page.getByText("Saved.")).toBeVisible();
  await page.reload();
  await expect(fields(page, 4).name).toHaveValue("Getting to work");
  await page.getByRole("button", { name: "Remove category 4" }).click();
  const more = page.getByRole("button", { name: "Add another category" });
  await more.click();
  await expect(fields(page, 5).name).toBeFocused();
  await expect(fields(page, 5).name).toHaveValue("");
  await fields(page, 5).name.fill("Coffee");
  await fields(page, 5).keywords.fill("coffee");
  await expect(line("SQ *CORNER COFFEE")).toHaveText("Coffee");
  await save(page);
  const saved = async () => {
    const { rows } = await server.pool.query("SELECT categories FROM saved_categories WHERE user_id = $1", [
      person.id,
    ]);
    return rows[0].categories.map(({ name }: { name: string }) => name);
  };
  await expect.poll(saved).toEqual(["Sunday shop", "Number 4", "Number 5", "Coffee"]);
});

test("what another tab has saved is not overwritten before it was seen", async ({
  page,
  context,
  server,
}) => {
  await signIn(context, server, await createPerson(server.pool));
  const other = await context.newPage();
  for (const tab of [page, other]) await tab.goto("/dashboard/categories");
  await fields(other, 1).name.fill("Of the other tab");
  await save(other);
  await expect(other.getByText("Saved.")).toBeVisible();

  await fields(page, 1).name.fill("Of this tab");
  await save(page);
  await expect(page.getByRole("alert")).toContainText("changed in another tab or on another device");
  await expect(page.getByText("Of the other tab")).toBeVisible();
  await expect(fields(page, 1).name).toHaveValue("Of this tab");
  await save(page);
  await expect(page.getByText("Saved.")).toBeVisible();
  await other.goto("/dashboard");
  await expect(categoriesOn(other)).toHaveText(["Of this tab labels nothing in the sample statement"]);
});

test.describe("accessible", () => {
  test("no accessibility fault, and nothing wider than the page", async ({ page, openSignedIn }) => {
    const words = new URLSearchParams({ category: "W".repeat(40), keywords: "W".repeat(400) });
    await openSignedIn(`/dashboard/categories?${words}`);
    await expectSound(page);
    await fields(page, 2).keywords.fill("kroger");
    await save(page);
    await expect(page.getByRole("alert")).toBeVisible();
    await expectSound(page);
    await fields(page, 2).name.fill("Sunday shop");
    await save(page);
    await expect(page.getByText("Saved.")).toBeVisible();
    await expectSound(page);
    await page.goto("/dashboard");
    await expectSound(page);
  });
});
