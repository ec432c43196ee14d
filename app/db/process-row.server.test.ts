import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createPulse } from "../pulse.server.ts";
import { announceProcess, removeProcess } from "./process-row.server.ts";

const FACTS = { id: "a-process", role: "web", version: "1.2.3" } as const;

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const seconds = async () => {
  const { rows } = await database.pool.query(
    "SELECT id, extract(epoch FROM now() - seen_at)::int AS age FROM processes ORDER BY id",
  );
  return rows;
};

test("the question that a process asks anyway renews its row, and not every time", async () => {
  const { db, pool } = database;
  await announceProcess(db, FACTS);
  await pool.query("UPDATE processes SET seen_at = seen_at - interval '25 seconds'");
  await pool.query(
    "INSERT INTO processes (id, role, version, host, seen_at) VALUES ('gone', 'web', '1', 'a', now() - interval '25 hours')",
  );
  let now = 0;
  const notifications = { isHearing: () => true, ping: () => null, listen: () => () => {} };
  const pulse = createPulse(
    { db, log: { warn: (fields: object) => expect.fail(JSON.stringify(fields)) } } as never,
    { notifications: notifications as never, process: FACTS, onChange: () => {}, clock: () => now },
  );
  await pulse.start();
  expect(await seconds()).toEqual([
    { id: FACTS.id, age: 25 },
    { id: "gone", age: 25 * 3600 },
  ]);
  now = 30_000;
  pulse.look();
  await expect.poll(seconds).toEqual([{ id: FACTS.id, age: 0 }]);
  await pulse.stop();
  await removeProcess(db, FACTS.id);
  expect(await seconds()).toEqual([]);
});
