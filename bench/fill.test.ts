import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "../app/db/invariants.server.ts";
import { countFigures } from "../app/figures/count.server.ts";
import { openDatabase } from "../test/database.ts";
import { fill } from "./fill.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const SIZE = 1_000;

beforeAll(async () => {
  database = await openDatabase();
  await fill(database.pool, SIZE);
});

afterAll(() => database.close());

test("what a bench fills a database with is sound, before its figures are counted and after", async () => {
  expect(await findViolations(database.pool)).toEqual([]);
  await countFigures(database.db, "usd");
  expect(await findViolations(database.pool)).toEqual([]);
});

test("all its indexes are ready, and each knows all rows", async () => {
  const { rows: unready } = await database.pool.query(
    "SELECT indexrelid::regclass FROM pg_index WHERE NOT indisready OR NOT indisvalid",
  );
  expect(unready).toEqual([]);
  const { rows } = await database.pool.query(
    `SELECT relname, reltuples::int AS rows FROM pg_class WHERE relname IN ('user_pkey', 'grants_pkey', 'outbox_pkey')`,
  );
  expect(rows).toHaveLength(3);
  for (const { rows: found } of rows) expect(found).toBe(SIZE);
});

test("references, constraints and triggers are there as before", async () => {
  await expect(
    database.pool.query(
      "INSERT INTO session (id, token_hash, user_id, expires_at) VALUES ('s', 'h', 'nobody', now())",
    ),
  ).rejects.toThrow(/foreign key/);
  await expect(
    database.pool.query(`INSERT INTO "user" (id, name, email) VALUES ('user1', 'Ada', 'other@example.com')`),
  ).rejects.toThrow(/user_pkey/);
  const tells = await database.pool.query(
    "SELECT FROM pg_trigger WHERE tgname = 'outbox_tell_of_new_job' AND tgenabled = 'O'",
  );
  expect(tells.rowCount).toBe(1);
});
