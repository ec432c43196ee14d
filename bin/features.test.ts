import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadFeatureStates } from "../app/entitlements/features.server.ts";
import { createCommands } from "../test/command.ts";
import { openDatabase } from "../test/database.ts";

const runCommand = createCommands();
let database: Awaited<ReturnType<typeof openDatabase>>;
const dataDir = mkdtempSync(join(tmpdir(), "features-"));

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

async function features(...args: string[]): Promise<{ code: number; printed: string }> {
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir };
  const { code, stdout, stderr } = await runCommand("bin/features.ts", args, env);
  return { code, printed: code === 0 ? stdout : stderr };
}

test("a feature is opened, given a day, and closed again", async () => {
  const closed = "csv_processing (CSV Processing) is being built\nbanking_api (Banking API) is being built\n";
  expect(await features("list")).toEqual({ code: 0, printed: closed });

  const opened = await features("open", "csv_processing");
  expect(opened.printed).toMatch(/^csv_processing \(CSV Processing\) is open since \d{4}-.*\n.*\/privacy/s);
  expect((await loadFeatureStates(database.db)).csv_processing.isOpen).toBe(true);

  const later = await features("open", "banking_api", "--at", "2999-03-01");
  expect(later.printed).toContain("banking_api (Banking API) opens at 2999-03-01T00:00:00Z");
  expect((await loadFeatureStates(database.db)).banking_api).toEqual({
    isOpen: false,
    openedAt: new Date("2999-03-01"),
  });
  const earlier = await features("open", "banking_api", "--at", "2026-01-02T03:04:05Z");
  expect(earlier.printed).toMatch(
    /^banking_api \(Banking API\) is open since 2026-01-02T03:04:05Z\nEverybody/,
  );
  const { rows } = await database.pool.query("SELECT actor, action, subject FROM audit_log ORDER BY id");
  expect(rows.map((row) => [row.actor, row.action, row.subject])).toEqual([
    ["npm run ops", "feature.opened", "feature:csv_processing"],
    ["npm run ops", "feature.scheduled", "feature:banking_api"],
    ["npm run ops", "feature.opened", "feature:banking_api"],
  ]);

  for (const key of ["csv_processing", "banking_api"]) await features("close", key);
  expect((await features("list")).printed).toBe(closed);
});

test.each([
  [[], "Usage:"],
  [["list", "all"], "Usage:"],
  [["open"], "there is no feature"],
  [["open", "gold"], "there is no feature gold: choose csv_processing or banking_api"],
  [["open", "csv_processing", "--at", "soon"], "--at: give a day"],
  [["open", "csv_processing", "--at", "2027-02-30"], "--at: give a day"],
  [["close", "csv_processing", "--at", "2027-01-01"], "Usage:"],
  [["open", "csv_processing", "banking_api"], "Usage:"],
  [["open", "csv_processing", "--now"], "Usage:"],
])("%j is refused and says why", async (args, complaint) => {
  const { code, printed } = await features(...args);
  expect([code, printed]).toEqual([1, expect.stringContaining(complaint)]);
});
