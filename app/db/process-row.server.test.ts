import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createProcessRow } from "./process-row.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const ages = async () => {
  const { rows } = await database.pool.query(
    "SELECT id, extract(epoch FROM now() - seen_at)::int AS age FROM processes ORDER BY id",
  );
  return rows;
};

test("a process renews its row every half minute, forgets those long gone, and ends with it", async () => {
  await database.pool.query(
    "INSERT INTO processes (id, role, version, host, seen_at) VALUES ('gone', 'web', '1', 'a', now() - interval '25 hours')",
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const row = createProcessRow(database.db, { id: "here", role: "web", version: "1.2.3" }, (error) =>
    expect.fail(String(error)),
  );
  await row.start();
  await database.pool.query("UPDATE processes SET seen_at = seen_at - interval '25 seconds'");
  expect(await ages()).toEqual([{ id: "here", age: 25 }]);
  vi.advanceTimersByTime(30_000);
  vi.useRealTimers();
  await expect.poll(ages).toEqual([{ id: "here", age: 0 }]);
  await row.stop();
  expect(await ages()).toEqual([]);
});
