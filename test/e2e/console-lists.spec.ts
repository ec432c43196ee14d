import { randomUUID } from "node:crypto";
import type { BrowserContext, Page } from "@playwright/test";
import { createOperator } from "../operator.ts";
import type { TestServer } from "../server.ts";
import { countDocuments } from "./documents.ts";
import { expect, signIn, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

/** Promo codes of this test alone, found by the batch they are of. @returns the batch, and the codes in the order of the list */
async function addCodes({ pool }: TestServer, count: number): Promise<{ batch: string; codes: string[] }> {
  const batch = randomUUID();
  await pool.query(
    `INSERT INTO promo_batches (id, name, size, tier, duration_type, finished_at)
     VALUES ($1, 'Of a test', $2, 'basic', 'forever', now())`,
    [batch, count],
  );
  const { rows } = await pool.query(
    `INSERT INTO promo_codes (code, tier, duration_type, batch_id)
     SELECT $1 || '-' || lpad(number::text, 3, '0'), 'basic', 'forever', $2 FROM generate_series(1, $3) AS number
     RETURNING code`,
    [batch.slice(0, 8).toUpperCase(), batch, count],
  );
  return { batch, codes: rows.map(({ code }) => code).toSorted() };
}

/** Failing jobs that no worker has a handler for, so that they stay as they are. */
async function addJobs({ pool }: TestServer, count: number): Promise<string[]> {
  const { rows } = await pool.query(
    `INSERT INTO outbox (kind, payload, attempts, run_at, last_error)
     SELECT 'job_of_a_list', '{}', 3, now() + interval '1 hour', 'connect ECONNREFUSED' FROM generate_series(1, $1)
     RETURNING id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

async function pausedOf({ pool }: TestServer, batch: string): Promise<string[]> {
  const { rows } = await pool.query(
    "SELECT code FROM promo_codes WHERE batch_id = $1 AND NOT active ORDER BY code",
    [batch],
  );
  return rows.map(({ code }) => code);
}

async function asOperator(context: BrowserContext, server: TestServer): Promise<void> {
  await signIn(context, server, await createOperator(server.pool));
}

const boxOf = (page: Page, name: string) =>
  page.getByRole("checkbox", { name: `Select ${name}`, exact: true });
const status = (page: Page) => page.locator(".console-status").getByRole("status");

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("several codes are paused and resumed at once, and the list says what came of it", async ({
      page,
      context,
      server,
      open,
    }) => {
      await asOperator(context, server);
      const { batch, codes } = await addCodes(server, 4);
      const [first = "", second = "", third = ""] = codes;
      await server.pool.query("UPDATE promo_codes SET active = false WHERE code = $1", [third]);
      await open(`/admin/codes?batch=${batch}`);
      const documents = countDocuments(page);
      for (const code of [first, second, third]) await boxOf(page, code).check();
      await page.getByRole("button", { name: "Pause" }).click();
      await expect(status(page)).toHaveText("2 paused, 1 paused already.");
      await expect(page).toHaveURL(`/admin/codes?batch=${batch}&said=paused_already-1.paused-2`);
      await expect(page.getByRole("row", { name: first })).toContainText("Paused");
      expect(await pausedOf(server, batch)).toEqual([first, second, third]);
      await expect(boxOf(page, first)).not.toBeChecked();
      await page.getByRole("button", { name: "Resume" }).click();
      await expect(status(page)).toHaveText("Nothing was changed: select at least one row first.");
      await boxOf(page, second).check();
      await page.getByRole("button", { name: "Resume" }).click();
      await expect(status(page)).toHaveText("1 resumed.");
      expect(await pausedOf(server, batch)).toEqual([first, third]);
      if (javaScriptEnabled) expect(documents()).toBe(0);
    });

    test("stuck jobs are tried again from each of a page's lists; messages are marked as answered", async ({
      page,
      context,
      server,
      open,
    }) => {
      await asOperator(context, server);
      const jobs = await addJobs(server, 3);
      await open("/admin/jobs");
      const failing = page.getByRole("region", { name: "Failing", exact: true });
      for (const job of jobs.slice(0, 2))
        await failing.getByLabel(`Select job ${job}`, { exact: true }).check();
      await failing.getByRole("button", { name: "Try again" }).click();
      await expect(status(page)).toHaveText("2 tried again.");
      const { rowCount } = await server.pool.query(
        "SELECT FROM outbox WHERE id = ANY($1) AND run_at <= now()",
        [jobs],
      );
      expect(rowCount).toBe(2);
      await server.pool.query("DELETE FROM outbox WHERE id = ANY($1)", [jobs]);

      const message = randomUUID();
      await server.pool.query(
        `INSERT INTO contact_messages (id, name, email, topic, message, content_hash)
         VALUES ($1, 'Ada', $1 || '@example.com', 'payment', 'Where is it?', $1)`,
        [message],
      );
      await open(`/admin/messages?email=${message}@example.com`);
      await boxOf(page, "Ada: Where is it?").check();
      await page.getByRole("button", { name: "Mark as answered" }).click();
      await expect(status(page)).toHaveText("1 marked as answered.");
      await expect(page.getByRole("row", { name: "Where is it?" })).toContainText("Answered");
    });

    test("a list is paged, sorted and filtered; where that shows another page it begins at the table", async ({
      page,
      context,
      server,
      open,
    }) => {
      await asOperator(context, server);
      const { batch, codes } = await addCodes(server, 120);
      await open(`/admin/codes?batch=${batch}`);
      const documents = countDocuments(page);
      const table = page.getByRole("region", { name: "Table of codes" });
      const next = page.getByRole("link", { name: /^Next: / });
      await expect(table.getByRole("row")).toHaveCount(51);
      const top = () => page.evaluate(() => Math.round(scrollY));
      await boxOf(page, codes.at(-1) ?? "").check();
      await next.click();
      await expect(table.getByRole("link", { name: codes.at(-51) })).toBeVisible();
      const topOfTable = () => table.evaluate((frame) => frame.getBoundingClientRect().top);
      await expect.poll(topOfTable).toBeLessThan(40);
      await expect(table.getByRole("checkbox", { checked: true })).toHaveCount(0);
      await expect(page).toHaveTitle(/^Codes of a batch · /);
      if (javaScriptEnabled) await expect(table).toBeFocused();
      await page.getByRole("link", { name: "Previous page" }).click();
      await expect(table.getByRole("link", { name: codes.at(-1) })).toBeVisible();

      await open("/admin/codes");
      await table.getByRole("link", { name: "Created (UTC)" }).scrollIntoViewIfNeeded();
      await page.evaluate(() => scrollTo(0, 120));
      await expect.poll(top).toBe(120);
      await table.getByRole("link", { name: "Code", exact: true }).click();
      await expect(table.getByRole("columnheader", { name: "Code", exact: true })).toHaveAttribute(
        "aria-sort",
        "ascending",
      );
      if (javaScriptEnabled) expect(await top()).toBe(120);
      const filter = page.getByLabel("Code begins with");
      await filter.fill(codes[7] ?? "");
      await filter.press("Enter");
      await expect(table.getByRole("row")).toHaveCount(2);
      await expect(page).toHaveURL(`/admin/codes?sort=code&code=${codes[7]}&state=`);
      await expect(filter).toHaveValue(codes[7] ?? "");
      if (javaScriptEnabled) await expect(filter).toBeFocused();
      await page.getByRole("link", { name: "Clear" }).click();
      await expect(page).toHaveURL("/admin/codes");
      await expect(filter).toHaveValue("");
      // One for the second page that was opened.
      if (javaScriptEnabled) expect(documents()).toBe(1);
    });
  });
}

test("one box selects all rows, and after a press none is selected and the focus is where it was", async ({
  page,
  context,
  server,
  open,
}) => {
  await asOperator(context, server);
  const { batch, codes } = await addCodes(server, 3);
  await open(`/admin/codes?batch=${batch}`);
  const all = page.getByRole("checkbox", { name: "Select all codes on this page" });
  const isIndeterminate = () => all.evaluate((box: HTMLInputElement) => box.indeterminate);
  // Nothing to press while nothing is selected.
  await expect(page.getByRole("button", { name: "Pause" })).toBeHidden();
  await boxOf(page, codes[1] ?? "").check();
  await expect(page.getByText("1 selected")).toBeVisible();
  expect(await isIndeterminate()).toBe(true);
  await all.check();
  await expect(page.getByText("3 selected")).toBeVisible();
  for (const code of codes) await expect(boxOf(page, code)).toBeChecked();
  await all.uncheck();
  await expect(page.getByRole("button", { name: "Pause" })).toBeHidden();
  await all.focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(status(page)).toHaveText("3 paused.");
  await expect(page.getByText("0 selected")).toBeVisible();
  await expect(page.getByRole("button", { name: "Pause" })).toBeFocused();
  expect(await isIndeterminate()).toBe(false);
});

test.describe("looks", () => {
  test("a list with rows selected, what came of it, and the search are sound", async ({
    page,
    context,
    server,
    open,
  }) => {
    await asOperator(context, server);
    // As many as fit above the buttons, which would hide half a row.
    const few = await addCodes(server, 1);
    await open(`/admin/codes?batch=${few.batch}`);
    await boxOf(page, few.codes[0] ?? "").check();
    await expectSound(page);
    const { batch, codes } = await addCodes(server, 30);
    await open(`/admin/codes?batch=${batch}`);
    await boxOf(page, codes[29] ?? "").check();
    // In sight although the end of the table is not.
    await expect(page.getByRole("button", { name: "Pause" })).toBeInViewport({ ratio: 1 });
    await page.getByRole("button", { name: "Pause" }).click();
    await expect(status(page)).toHaveText("1 paused.");
    await page.evaluate(() => scrollTo(0, 300));
    await expect(status(page)).toBeInViewport({ ratio: 1 });
    await expectSound(page);
    await page.keyboard.press("Control+k");
    await page
      .getByRole("dialog")
      .getByRole("combobox")
      .fill(codes[0] ?? "");
    await expect(page.getByRole("dialog").getByRole("option")).toHaveCount(1);
    await expectSound(page);
  });
});

test("rows ticked before the scripts are there stay ticked, and are counted", async ({
  page,
  context,
  server,
}) => {
  await asOperator(context, server);
  const { batch, codes } = await addCodes(server, 3);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/assets/*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/admin/codes?batch=${batch}`, { waitUntil: "commit" });
  await boxOf(page, codes[0] ?? "").check();
  await boxOf(page, codes[2] ?? "").check();
  await expect(page.getByText("The selected ones:")).toBeVisible();
  release();
  await expect(page.getByText("2 selected")).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(status(page)).toHaveText("2 paused.");
  expect(await pausedOf(server, batch)).toEqual([codes[0], codes[2]]);
});

test("an unreachable site changes nothing, says so, and leaves the rows selected", async ({
  page,
  context,
  server,
  open,
}) => {
  await asOperator(context, server);
  const { batch, codes } = await addCodes(server, 2);
  await open(`/admin/codes?batch=${batch}`);
  await boxOf(page, codes[1] ?? "").check();
  await context.setOffline(true);
  const pause = page.getByRole("button", { name: "Pause" });
  await pause.click();
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText("We couldn’t reach the site. Check your connection and try again.");
  await expect(boxOf(page, codes[1] ?? "")).toBeChecked();
  await context.setOffline(false);
  await pause.click();
  await expect(status(page)).toHaveText("1 paused.");
  await expect(alert).toHaveCount(0);
  expect(await pausedOf(server, batch)).toEqual([codes[1]]);
});

test("what came of a press is announced in a place that was there before, can be dismissed, and is gone on the next page", async ({
  page,
  context,
  server,
  open,
}) => {
  await asOperator(context, server);
  const [job = ""] = await addJobs(server, 1);
  await open(`/admin/jobs?job=${job}`);
  await status(page).evaluate((place) => {
    place.dataset.seen = "before";
  });
  const press = () => page.getByRole("button", { name: `Try now job ${job}` }).click();
  await press();
  await expect(status(page)).toContainText("It is tried now.");
  await expect(status(page)).toHaveAttribute("data-seen", "before");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(status(page)).toBeEmpty();
  await expect(page.locator(".console-status")).toBeFocused();
  await press();
  await expect(status(page)).toContainText("It is tried now.");
  // The same words are new ones to who listens.
  const words = await status(page).locator("p").elementHandle();
  await press();
  await expect.poll(() => words?.evaluate(({ isConnected }) => isConnected)).toBe(false);
  await expect(status(page)).toContainText("It is tried now.");
  await page.getByRole("link", { name: "Clear" }).click();
  await expect(page).toHaveURL("/admin/jobs");
  await expect(status(page)).toBeEmpty();
  await expect(status(page)).toHaveAttribute("data-seen", "before");
  await page.goBack();
  await page.getByRole("link", { name: "Promo codes" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Promo codes");
  await expect(status(page)).toBeEmpty();
  await server.pool.query("DELETE FROM outbox WHERE id = $1", [job]);
});
