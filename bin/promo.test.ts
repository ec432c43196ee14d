import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../app/db/embedded.server.ts";
import { createCommands } from "../test/command.ts";
import { openDatabase } from "../test/database.ts";

const runCommand = createCommands();
let database: Awaited<ReturnType<typeof openDatabase>>;
const dataDir = mkdtempSync(join(tmpdir(), "promo-"));

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

function run(program: string, ...args: string[]): Promise<{ code: number; printed: string }> {
  return runWith({ DATABASE_URL: database.url, DATA_DIR: dataDir }, program, ...args);
}

async function runWith(settings: Record<string, string>, program: string, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand(program, args, settings);
  return { code, printed: code === 0 ? stdout : stderr };
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

test("the defaults are the spec's: the user chooses the tier, one month, no end", async () => {
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
  [["create", "A", "--months", "3", "--forever"], "--forever: choose either a number of months or forever"],
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

test("limits -- clear forgets what the sandbox's limits remember, and nothing where people are", async () => {
  const remember = () =>
    database.pool.query(
      "INSERT INTO rate_limits (key, hits, expires_at) VALUES ('k', ARRAY[now()], now() + interval '1 day')",
    );
  await remember();
  expect(await run("bin/limits.ts")).toMatchObject({ code: 1, printed: expect.stringContaining("Usage:") });
  expect(await run("bin/limits.ts", "clear")).toEqual({ code: 0, printed: "1 limits cleared\n" });
  await remember();
  await database.pool.query("UPDATE database_purpose SET purpose = 'test'");
  const keys = { STRIPE_SECRET_KEY: "sk_test_123", STRIPE_WEBHOOK_SECRET: "whsec_123" };
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, ...keys };
  const refused = await runWith(settings, "bin/limits.ts", "clear");
  expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining("sandbox's database only") });
  expect((await run("bin/limits.ts", "clear")).printed).toContain("this database is for test");
  expect((await database.pool.query("SELECT FROM rate_limits")).rowCount).toBe(1);
  await database.pool.query("UPDATE database_purpose SET purpose = 'sandbox'");
});

describe("what keeps a command from running is said in one line, with a way out", () => {
  const oneLine = (words: RegExp) => ({
    code: 1,
    printed: expect.stringMatching(new RegExp(`^.*${words.source}.*\n$`)),
  });

  test("no database of this folder: and none is made", async () => {
    const nowhere = join(dataDir, "nowhere");
    for (const program of ["bin/promo.ts", "bin/invariants.ts"]) {
      const args = program === "bin/promo.ts" ? ["list"] : [];
      expect(await runWith({ DATA_DIR: nowhere }, program, ...args)).toEqual(
        oneLine(
          /no database of this folder is running or known .* Start the site first, or set DATABASE_URL/,
        ),
      );
    }
    expect(existsSync(nowhere)).toBe(false);
  });

  test("nobody listens there, nobody is let in, or there is no such database", async () => {
    const url = new URL(database.url);
    const at = (change: Partial<URL>) => Object.assign(new URL(url), change).href;
    const list = (DATABASE_URL: string) => runWith({ DATABASE_URL }, "bin/promo.ts", "list");
    const [away, wrong, missing] = await Promise.all([
      list(at({ port: String(await freePort()) })),
      list(at({ password: "wrong" })),
      list(at({ pathname: "/missing" })),
    ]);
    expect(away).toEqual(oneLine(/is not running\. Start it/));
    expect(wrong).toEqual(oneLine(/refuses the user or the password\. Correct them/));
    expect(missing).toEqual(oneLine(/has no database of that name\. Create it/));
    expect(JSON.stringify([away, wrong, missing])).not.toContain(url.password);
  });

  test("another code's tables, which a command leaves as they are", async () => {
    const applied = "SELECT * FROM drizzle.__drizzle_migrations ORDER BY created_at";
    const { rows: before } = await database.pool.query(applied);
    await database.pool.query(
      "DELETE FROM drizzle.__drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM drizzle.__drizzle_migrations)",
    );
    expect(await promo("list")).toEqual(
      oneLine(/older than this code\. Bring it up to date: npm run migrate/),
    );
    const { hash, created_at } = before.at(-1);
    const add = "INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)";
    await database.pool.query(add, [hash, created_at]);
    await database.pool.query(add, ["of tomorrow", Number(created_at) + 1]);
    expect(await promo("list")).toEqual(oneLine(/newer than this code\. Use the code/));
    await database.pool.query("DELETE FROM drizzle.__drizzle_migrations WHERE hash = 'of tomorrow'");
    expect((await database.pool.query(applied)).rowCount).toBe(before.length);
  });
});
