import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../app/db/embedded.server.ts";
import { setupOps } from "../../test/ops.ts";

const { database, ops, opsWith } = setupOps([]);

test("help lists every command", async () => {
  const { code, printed } = await ops();
  expect(code).toBe(2);
  for (const command of [
    "person show",
    "promo create",
    "reconcile\n",
    "invariants\n",
    "limits clear",
    "npm run doctor",
  ])
    expect(printed).toContain(command);
});

test("invariants ends with 1 and names the rule when the data is not sound", async () => {
  expect((await ops("invariants")).printed).toMatch(/^(\d+) of \1 invariants hold$/m);
  await database.pool.query(
    "INSERT INTO promo_codes (code, used_count, duration_type) VALUES ('ODD', 3, 'forever')",
  );
  expect(await ops("invariants")).toEqual({
    code: 1,
    printed: expect.stringMatching(/used_count is the number of its grants\n.*"ODD"/),
  });
  await database.pool.query("DELETE FROM promo_codes");
});

test("limits clear forgets what the sandbox's limits remember, and nothing where people are", async () => {
  const remember = () =>
    database.pool.query(
      "INSERT INTO rate_limits (key, hits, expires_at) VALUES ('k', ARRAY[now()], now() + interval '1 day')",
    );
  const clear = (env: Record<string, string> = {}) => opsWith(env, "limits", "clear");
  await remember();
  expect(await ops("limits")).toMatchObject({ code: 2, printed: expect.stringContaining("Usage:") });
  expect(await clear()).toEqual({ code: 0, printed: "1 limits cleared\n" });
  await remember();
  await database.pool.query("UPDATE database_purpose SET purpose = 'test'");
  expect(await clear({ STRIPE_SECRET_KEY: "sk_test_123", STRIPE_WEBHOOK_SECRET: "whsec_123" })).toMatchObject(
    {
      code: 1,
      printed: expect.stringContaining("sandbox's database only"),
    },
  );
  expect((await clear()).printed).toContain("this database is for test");
  expect((await database.pool.query("SELECT FROM rate_limits")).rowCount).toBe(1);
  await database.pool.query("UPDATE database_purpose SET purpose = 'sandbox'");
});

const oneLine = (words: RegExp) => ({
  code: 1,
  printed: expect.stringMatching(new RegExp(`^.*${words.source}.*\n$`)),
});

test("without a database of this folder a command says so in a line, and makes none", async () => {
  const nowhere = join(tmpdir(), `nowhere-${process.pid}`);
  for (const command of [["promo", "list"], ["invariants"]])
    expect(await opsWith({ DATABASE_URL: "", DATA_DIR: nowhere }, ...command)).toEqual(
      oneLine(/no database of this folder is running or known .* Start the site first, or set DATABASE_URL/),
    );
  expect(existsSync(nowhere)).toBe(false);
});

test("a database that is away, refuses the password or does not exist is named in a line", async () => {
  const url = new URL(database.url);
  const at = (change: Partial<URL>) => Object.assign(new URL(url), change).href;
  const list = (DATABASE_URL: string) => opsWith({ DATABASE_URL }, "promo", "list");
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

test("the tables of another version are left as they are", async () => {
  const applied = "SELECT * FROM drizzle.__drizzle_migrations ORDER BY created_at";
  const { rows: before } = await database.pool.query(applied);
  await database.pool.query(
    "DELETE FROM drizzle.__drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM drizzle.__drizzle_migrations)",
  );
  expect(await ops("promo", "list")).toEqual(
    oneLine(/older than this code\. Bring it up to date: npm run migrate/),
  );
  const { hash, created_at } = before.at(-1);
  const add = "INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)";
  await database.pool.query(add, [hash, created_at]);
  await database.pool.query(add, ["of tomorrow", Number(created_at) + 1]);
  expect(await ops("promo", "list")).toEqual(oneLine(/newer than this code\. Use the code/));
  await database.pool.query("DELETE FROM drizzle.__drizzle_migrations WHERE hash = 'of tomorrow'");
  expect((await database.pool.query(applied)).rowCount).toBe(before.length);
});
