import type { Page } from "@playwright/test";
import { createOperator } from "../operator.ts";
import { openPayer } from "../plan-states.ts";
import type { TestServer } from "../server.ts";
import { createPerson } from "../users.ts";
import { countDocuments } from "./documents.ts";
import { expect, signIn, test } from "./fixtures.ts";

const dialog = (page: Page) => page.getByRole("dialog", { name: "Search the console" });
const box = (page: Page) => dialog(page).getByRole("combobox");
const options = (page: Page) => dialog(page).getByRole("option");

/** A job that no worker has a handler for, so that it stays as it is. */
async function stuckJob({ pool }: TestServer): Promise<string> {
  const { rows } = await pool.query(
    `INSERT INTO outbox (kind, payload, attempts, run_at, last_error)
     VALUES ('job_of_a_search', '{}', 3, now() + interval '1 hour', 'connect ECONNREFUSED') RETURNING id`,
  );
  return rows[0].id;
}

test.beforeEach(async ({ context, server }) => {
  await signIn(context, server, await createOperator(server.pool));
});

test("Ctrl K opens the search of every page; arrows choose, Enter goes there without a document, Escape closes", async ({
  page,
  server,
  open,
}) => {
  const name = `Zora ${Date.now()}`;
  const people = [await createPerson(server.pool), await createPerson(server.pool)];
  for (const [index, { id }] of people.entries())
    await server.pool.query(`UPDATE "user" SET name = $2 WHERE id = $1`, [id, `${name} ${index}`]);
  await open("/admin/jobs");
  await expect(page.getByRole("banner").getByText("Ctrl K")).toBeVisible();
  const documents = countDocuments(page);
  await page.keyboard.press("Control+k");
  await expect(box(page)).toBeFocused();
  await box(page).fill(name);
  await expect(options(page)).toHaveText([new RegExp(`${name} 0`), new RegExp(`${name} 1`)]);
  await expect(options(page).first()).toHaveAttribute("aria-selected", "true");
  await box(page).press("ArrowDown");
  await expect(options(page).nth(1)).toHaveAttribute("aria-selected", "true");
  const active = await options(page).nth(1).getAttribute("id");
  await expect(box(page)).toHaveAttribute("aria-activedescendant", active ?? "");
  await box(page).press("ArrowDown");
  await expect(options(page).first()).toHaveAttribute("aria-selected", "true");
  await box(page).press("ArrowUp");
  await box(page).press("Enter");
  await expect(page).toHaveURL(`/admin/people/${people[1]?.id}`);
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole("main")).toBeFocused();
  // What was typed is there again, to be typed over.
  await page.keyboard.press("Control+k");
  await expect(box(page)).toHaveValue(name);
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  expect(documents()).toBe(0);
});

test("Enter right after the last letter goes to the only thing that can be meant", async ({
  page,
  server,
  open,
}) => {
  const { id, email } = await createPerson(server.pool);
  await open("/admin");
  const documents = countDocuments(page);
  await page.keyboard.press("Control+k");
  await box(page).fill(email);
  await box(page).press("Enter");
  await expect(page).toHaveURL(`/admin/people/${id}`);
  await expect(dialog(page)).toBeHidden();
  expect(documents()).toBe(0);
});

test("codes, invoices, mails and jobs are found, each by a press", async ({ page, server, open }) => {
  const payer = await openPayer(server);
  const { rows } = await server.pool.query("SELECT id, number FROM stripe_invoices WHERE user_id = $1", [
    payer.id,
  ]);
  const [{ id: invoice, number }] = rows;
  const job = await stuckJob(server);
  const mail = await server.pool.query("SELECT 1 FROM mails WHERE recipient = $1", [payer.email]);
  expect(mail.rowCount).toBeGreaterThan(0);
  await open("/admin");
  for (const [typed, found, url] of [
    ["welcome", /^WELCOME\s*Used \d+/, "/admin/codes/WELCOME"],
    [number.toLowerCase(), new RegExp(`^${number}\\s*${payer.email}`), `/admin/people/${payer.id}#payments`],
    [payer.email, /^Emails to/, `/admin/mail?recipient=${encodeURIComponent(payer.email)}`],
    [invoice, new RegExp(`^${number}\\s*${payer.email}`), `/admin/people/${payer.id}#payments`],
    [job, new RegExp(`^Job of a search ${job}\\s*Failing`), `/admin/jobs?job=${job}`],
    ["job of a", new RegExp(`^Job of a search ${job}\\s*Failing\\s*connect`), `/admin/jobs?job=${job}`],
  ] as const) {
    await page.keyboard.press("Control+k");
    await box(page).fill(typed);
    await options(page).filter({ hasText: found }).click();
    await expect(page).toHaveURL(url);
    await expect(dialog(page)).toBeHidden();
  }
  await expect(page.getByRole("cell", { name: `Job of a search No. ${job}` })).toBeVisible();
  await server.pool.query("DELETE FROM outbox WHERE id = $1", [job]);
});

test("a search opened while a hit’s page is still loading stays open when it arrives; Back closes it", async ({
  page,
  server,
  open,
}) => {
  const { id, email } = await createPerson(server.pool);
  await open("/admin");
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**/admin/people/${id}.data*`, async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  await box(page).fill(email);
  await dialog(page).getByRole("group", { name: "1 person" }).getByRole("option").click();
  await expect(dialog(page)).toBeHidden();
  await page.keyboard.press("Control+k");
  await expect(box(page)).toBeFocused();
  release();
  await expect(page.getByRole("heading", { name: "Support actions" })).toBeVisible();
  await expect(dialog(page)).toBeVisible();
  await page.goBack();
  await expect(dialog(page)).toBeHidden();
});

test("what was typed is kept while the site cannot be reached, breaks, or finds nothing", async ({
  page,
  context,
  server,
  open,
}) => {
  const { id, email } = await createPerson(server.pool);
  await open("/admin/codes");
  await context.setOffline(true);
  await page.keyboard.press("Control+k");
  await box(page).fill(email);
  const said = dialog(page).getByRole("status");
  await expect(said).toHaveText("We couldn’t reach the site. Check your connection and try again.");
  await box(page).press("Enter");
  await expect(said).toHaveText("We couldn’t reach the site. Check your connection and try again.");
  await expect(box(page)).toHaveValue(email);
  await context.setOffline(false);
  await page.route("**/admin/search.data*", (route) => route.fulfill({ status: 500, body: "Oh" }));
  await box(page).press("Enter");
  await expect(said).toHaveText("Something broke on our side. Try again in a moment.");
  await page.unroute("**/admin/search.data*");
  await box(page).press("Enter");
  await expect(page).toHaveURL(`/admin/people/${id}`);
  await expect(dialog(page)).toBeHidden();
  await page.keyboard.press("Control+k");
  await box(page).fill("no such thing");
  await expect(said).toHaveText("Nothing found for “no such thing”.");
  await expect(box(page)).toHaveAttribute("aria-expanded", "false");
});

test("Stripe is asked about an id that is not known here by Enter alone, not while it is typed", async ({
  page,
  open,
}) => {
  await open("/admin");
  await page.keyboard.press("Control+k");
  await box(page).fill("pi_unheard_of");
  const said = dialog(page).getByRole("status");
  await expect(said).toContainText("It isn’t known here. Press Enter to ask Stripe.");
  await box(page).press("Enter");
  await expect(said).toContainText("Stripe doesn’t know whose it is either");
});

test.describe("on a Mac", () => {
  test.use({ userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)" });

  test("it is ⌘K, and Ctrl K still cuts a line", async ({ page, open }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, "platform", { value: "MacIntel" }));
    await open("/admin");
    await expect(page.getByRole("banner").getByText("⌘K")).toBeVisible();
    await page.keyboard.press("Control+k");
    await expect(dialog(page)).toBeHidden();
    await page.keyboard.press("Meta+k");
    await expect(box(page)).toBeFocused();
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the form of the header searches, and names no key", async ({ page, server }) => {
    const { id, email } = await createPerson(server.pool);
    await page.goto("/admin/jobs");
    await expect(page.getByRole("banner").locator("kbd")).toHaveCount(0);
    await page.getByRole("searchbox", { name: "Search" }).fill(email);
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page).toHaveURL(`/admin/people/${id}`);
  });
});
