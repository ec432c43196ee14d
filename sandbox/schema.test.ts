import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandboxSchema } from "./schema.ts";
import { createDatabase } from "./testing/database.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const schemaOf = (version: number, column: string) => ({
  name: "sandbox_example" as const,
  version,
  tables: `CREATE TABLE sandbox_example.rows (${column} text);`,
});

async function readRows(): Promise<object[]> {
  return (await pool.query("SELECT * FROM sandbox_example.rows")).rows;
}

test("state is kept until the version of its tables changes, and starts afresh once then", async () => {
  await createSandboxSchema(pool, schemaOf(1, "face"));
  await pool.query("INSERT INTO sandbox_example.rows VALUES ('google')");
  await createSandboxSchema(pool, schemaOf(1, "face"));
  expect(await readRows()).toEqual([{ face: "google" }]);

  await Promise.all(Array.from({ length: 4 }, () => createSandboxSchema(pool, schemaOf(2, "provider"))));
  expect(await readRows()).toEqual([]);
  await pool.query("INSERT INTO sandbox_example.rows (provider) VALUES ('facebook')");
  await createSandboxSchema(pool, schemaOf(2, "provider"));
  expect(await readRows()).toEqual([{ provider: "facebook" }]);
});

test("a schema from before there were versions counts as the first", async () => {
  await pool.query("COMMENT ON SCHEMA sandbox_example IS NULL");
  await createSandboxSchema(pool, schemaOf(1, "face"));
  expect(await readRows()).toEqual([{ provider: "facebook" }]);
});
