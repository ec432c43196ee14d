import { expect, test } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { eventually } from "../../test/http.ts";
import { createLog } from "../log/log.server.ts";
import { watchReadiness } from "./readiness.server.ts";

const database = sharedDatabase();

/** What a process that has just started finds. */
async function look(): Promise<{ isReady: boolean; code: unknown }> {
  const lines: string[] = [];
  const readiness = watchReadiness(
    database.url,
    createLog("warn", { write: (line) => void lines.push(line) }),
  );
  const isReady = await readiness.isReady();
  await readiness.close();
  return { isReady, code: lines[0] && JSON.parse(lines[0]).error.code };
}

test("a database that takes a write is ready, and has nothing of it afterwards", async () => {
  expect(await look()).toEqual({ isReady: true, code: undefined });
  expect((await database.pool.query("SELECT FROM rate_limits")).rowCount).toBe(0);
});

// A disk that is full says the same of the same file: 53100. This is its stand-in that needs no disk of its own.
test.each([
  ["has no room for a file", "temp_file_limit = 0", "53400"],
  ["may only be read", "default_transaction_read_only = on", "25006"],
])("one that %s is not, though it answers", async (_, setting, code) => {
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`ALTER DATABASE ${name} SET ${setting}`);
  expect(await look()).toEqual({ isReady: false, code });
  await database.pool.query(`ALTER DATABASE ${name} RESET ${setting.split(" ")[0]}`);
  expect(await look()).toEqual({ isReady: true, code: undefined });
});

test("one that has not got our tables is not", async () => {
  await database.pool.query("ALTER TABLE rate_limits RENAME TO away");
  expect(await look()).toEqual({ isReady: false, code: "42P01" });
  await database.pool.query("ALTER TABLE away RENAME TO rate_limits");
});

test("one that is mute is not, after three seconds, and is again as soon as it answers", async () => {
  const holder = await database.pool.connect();
  await holder.query("BEGIN; LOCK TABLE rate_limits");
  const readiness = watchReadiness(database.url, createLog("silent"));
  expect(await readiness.isReady()).toBe(false);
  await holder.query("ROLLBACK");
  holder.release();
  await eventually(() => readiness.isReady(), "it is ready again");
  await readiness.close();
});

test("the database is asked once a second, however often we are", async () => {
  // A sequence goes on counting when what called it is rolled back.
  await database.pool.query(`
    CREATE SEQUENCE probes;
    CREATE FUNCTION count_probe() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN PERFORM nextval('probes'); RETURN NEW; END$$;
    CREATE TRIGGER count_probe BEFORE INSERT ON rate_limits FOR EACH ROW EXECUTE FUNCTION count_probe()`);
  const readiness = watchReadiness(database.url, createLog("silent"));
  const startedAt = performance.now();
  for (let round = 0; round < 20; round++)
    await Promise.all(Array.from({ length: 20 }, () => readiness.isReady()));
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows } = await database.pool.query("SELECT last_value::int AS count FROM probes");
  expect(rows[0].count).toBeLessThanOrEqual(1 + seconds);
  await readiness.close();
});
