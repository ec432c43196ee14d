import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeFeature } from "../../app/billing/announcing/change-feature.server.ts";
import { databaseSettings, openDatabase } from "../database.ts";
import { eventually } from "../http.ts";
import { spawnServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";

const PEOPLE = 2_000;
let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const count = async (query: string) => Number((await database.pool.query(query)).rows[0].count);
const countMails = () => count("SELECT count(*) FROM mails WHERE subject = 'CSV Processing is open'");

test("a process that is killed while a feature is announced leaves the rest to the next, and each mail is sent once", {
  timeout: 240_000,
}, async () => {
  const users = await createSignedInUsers(database.pool, PEOPLE);
  await database.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at)
     SELECT gen_random_uuid(), id, 'basic', 'admin', now() + interval '1 month' FROM unnest($1::text[]) AS id`,
    [users.map(({ id }) => id)],
  );
  await changeFeature(database.db, { name: "operator@example.com" }, "csv_processing", "now");

  const settings = databaseSettings(database.ownerUrl);
  const first = await spawnServer(settings);
  await eventually(async () => (await countMails()) > 0, "the first are mailed");
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const reached = await countMails();
  expect(reached).toBeGreaterThan(0);
  expect(reached).toBeLessThan(PEOPLE);

  // The claim of the dead process expires first.
  const second = await spawnServer(settings);
  const isDone = async () =>
    (await count("SELECT count(*) FROM audit_log WHERE action = 'feature.announced'")) === 1;
  await expect.poll(isDone, { timeout: 180_000, interval: 500 }).toBe(true);
  second.child.kill("SIGKILL");
  await once(second.child, "exit");
  expect(await countMails()).toBe(PEOPLE);
  expect(
    await count("SELECT count(DISTINCT recipient) FROM mails WHERE subject = 'CSV Processing is open'"),
  ).toBe(PEOPLE);
});
