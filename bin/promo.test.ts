import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const dataDir = mkdtempSync(join(tmpdir(), "promo-"));

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

async function run(program: string, ...args: string[]): Promise<{ code: number; printed: string }> {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: dataDir };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env });
    return { code: 0, printed: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, printed: stderr };
  }
}

const promo = (...args: string[]) => run("bin/promo.ts", ...args);

test("create makes the code that was asked for, and list shows it", async () => {
  const created = await promo(
    ...[
      "create",
      "spring",
      "--tier",
      "premium",
      "--months",
      "3",
      "--max-uses",
      "100",
      "--expires",
      "2027-01-31",
    ],
  );
  expect(created).toEqual({ code: 0, printed: "created SPRING\n" });
  const { rows } = await database.pool.query("SELECT * FROM promo_codes WHERE code = 'SPRING'");
  expect(rows).toMatchObject([
    {
      tier: "premium",
      duration_type: "months",
      duration_months: 3,
      max_uses: 100,
      used_count: 0,
      active: true,
    },
  ]);
  expect(rows[0].expires_at.toISOString()).toBe("2027-02-01T00:00:00.000Z");
  const { printed } = await promo("list");
  expect(printed).toMatch(/SPRING.*premium.*3 months.*0 of 100.*2027-02-01/);
});

test("the defaults are the spec's: whoever redeems chooses, one month, no end", async () => {
  await promo("create", "PLAIN");
  await promo("create", "EVER", "--forever");
  const { rows } = await database.pool.query(
    "SELECT duration_type, duration_months, tier, max_uses, expires_at FROM promo_codes WHERE code IN ('PLAIN', 'EVER') ORDER BY code DESC",
  );
  const rest = { tier: null, max_uses: null, expires_at: null };
  expect(rows).toEqual([
    { duration_type: "months", duration_months: 1, ...rest },
    { duration_type: "forever", duration_months: null, ...rest },
  ]);
});

test("a code that exists stays as it is", async () => {
  await promo("create", "TWICE", "--max-uses", "5");
  expect(await promo("create", "twice", "--max-uses", "9")).toMatchObject({
    code: 1,
    printed: expect.stringContaining("exists already"),
  });
  const { rows } = await database.pool.query("SELECT max_uses FROM promo_codes WHERE code = 'TWICE'");
  expect(rows).toEqual([{ max_uses: 5 }]);
});

test.each([
  [["create"], "CODE: name the code"],
  [["create", "two words"], "CODE: use letters"],
  [["create", "A", "--tier", "gold"], "--tier:"],
  [["create", "A", "--months", "0"], "--months:"],
  [["create", "A", "--months", "many"], "--months:"],
  [["create", "A", "--months", "3", "--forever"], "--forever: either --months or --forever"],
  [["create", "A", "--max-uses", "-1"], "max-uses"],
  [["create", "A", "--expires", "2027-02-30"], "--expires: give a day"],
  [["create", "A", "--colour", "red"], "Usage:"],
  [["create", "A", "B"], "unexpected: B"],
  [["remove", "A"], "Usage:"],
  [[], "Usage:"],
])("%j is refused and says why", async (args, complaint) => {
  const { code, printed } = await promo(...args);
  expect(code).toBe(1);
  expect(printed).toContain(complaint);
});

test("invariants ends with 1 and names the rule when the data is not sound", async () => {
  expect((await run("bin/invariants.ts")).printed).toMatch(/^(\d+) of \1 invariants hold$/m);
  await database.pool.query("UPDATE promo_codes SET used_count = 3 WHERE code = 'PLAIN'");
  expect(await run("bin/invariants.ts")).toMatchObject({
    code: 1,
    printed: expect.stringContaining("used_count is the number of its grants"),
  });
});
