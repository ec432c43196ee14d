import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMPILE_CACHE } from "../test/compile-cache.ts";
import { openDatabase } from "../test/database.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const dataDir = mkdtempSync(join(tmpdir(), "catalogue-"));

beforeAll(async () => {
  database = await openDatabase();
  await database.pool.query(
    `INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod_files', 'Files', true, 'basic', 1)`,
  );
  await database.pool.query(
    `INSERT INTO prices (id, product_id, active, unit_amount, currency, "interval", created_at, sync_ticket) VALUES
       ('price_old', 'prod_files', true, 299, 'eur', 'month', '2026-01-01', 1),
       ('price_new', 'prod_files', true, 399, 'eur', 'month', '2026-02-01', 1),
       ('price_gone', 'prod_files', false, 199, 'eur', 'month', '2026-03-01', 1),
       ('price_dollars', 'prod_files', true, 4000, 'usd', 'year', '2026-01-01', 1)`,
  );
  await database.pool.query(
    `INSERT INTO skipped_prices (id, product_name, reason) VALUES ('price_mug', 'A mug', 'has no fixed amount')`,
  );
});

afterAll(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

const catalogue = (args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, ["bin/catalogue.ts", ...args], {
    env: { ...COMPILE_CACHE, PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: dataDir, ...env },
  });

test("list says what is on sale in the site's currency, and of every other active price why not", async () => {
  const { stdout } = await catalogue(["list"], { CURRENCY: "EUR" });
  expect(stdout).toMatch(/Files.*basic.*price_new.*€3\.99 a month/);
  expect(stdout.split("\n").filter((line) => line.startsWith("not on sale"))).toEqual([
    "not on sale: price_old (Files) is replaced by price_new, a newer price of the same plan and period",
    "not on sale: price_dollars (Files) is in usd, and the site sells in eur (CURRENCY)",
    "not on sale: price_mug (A mug) has no fixed amount",
  ]);
  expect(stdout).not.toContain("price_gone");
});

test.each([[[]], [["list", "all"]]])("%j is refused", async (args) => {
  await expect(catalogue(args)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^Usage:/) });
});
