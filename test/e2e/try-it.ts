import type { Page } from "@playwright/test";
import { expect } from "./fixtures.ts";

/** Low enough for the section to be below it, whatever is above. */
export const LOW = { width: 1280, height: 300 };

/** The label on each line of the statement that has one. */
export async function labelsOn(page: Page): Promise<Record<string, string>> {
  const statement = statementOf(page).getByRole("listitem");
  // What is out of view may not be laid out, and then has no text to read; it is laid out a frame after it comes into view.
  await section(page).scrollIntoViewIfNeeded();
  await expect.poll(() => statement.allInnerTexts()).not.toContain("");
  const lines = await statement.all();
  const read = lines.map(async (line) => {
    const [text = "", , label = ""] = await line.locator("> *").allInnerTexts();
    return label === "needs a name" ? [] : [[text, label]];
  });
  return Object.fromEntries((await Promise.all(read)).flat());
}

/** The section of the page. */
export function section(page: Page) {
  return page.getByRole("region", { name: "Try it on a statement" });
}

/** Its list of lines. */
export function statementOf(page: Page) {
  return section(page).getByRole("list", { name: "Statement" });
}

/** The two fields of a category. */
export function fields(page: Page, number: number) {
  const group = section(page).getByRole("group", { name: `Category ${number}`, exact: true });
  return { name: group.getByLabel("Category"), keywords: group.getByLabel("Keywords") };
}

/** Opens the page at the section and waits until the island has it. */
export async function openIsland(page: Page): Promise<void> {
  await page.goto("/why-different#try-it");
  await expect(section(page).getByRole("button", { name: "Add another category" })).toBeVisible();
}

/** Shows the field for one's own lines. @returns it */
export async function openPaste(page: Page) {
  await section(page).getByText("Paste your own statement").click();
  return section(page).getByLabel("Lines from your bank");
}

/** The sample's own categories on the sample statement. */
export const GIVEN = {
  "AMAZON MKTPLACE 88": "Parcels",
  "AMAZON PRIME": "Sofa evenings",
  "NETFLIX.COM": "Sofa evenings",
};
