import { once } from "node:events";
import { expect, test } from "vitest";
import { databaseSettings } from "../database.ts";
import { eventually, postForm } from "../http.ts";
import { createOperator } from "../operator.ts";
import { setupServer } from "../server.fixture.ts";
import { spawnServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";

const PEOPLE = 1_000;
const server = setupServer();

const count = async (query: string) => Number((await server.pool.query(query)).rows[0].count);
const countMails = () => count("SELECT count(*) FROM mails WHERE subject = 'CSV Processing is open'");

test("a process that is killed while a feature is announced leaves the rest to the next, and each mail is written once", async () => {
  const users = await createSignedInUsers(server.pool, PEOPLE);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at)
     SELECT gen_random_uuid(), id, 'basic', 'admin', now() + interval '1 month' FROM unnest($1::text[]) AS id`,
    [users.map(({ id }) => id)],
  );
  const { cookie } = await createOperator(server.pool);
  const fields = { feature: "csv_processing", change: "open", day: "", seen: "" };
  const opened = await postForm(server, "/admin/features", fields, cookie);
  expect(opened.headers.get("location")).toContain("said=opened");
  await eventually(async () => (await countMails()) > 0, "the first are mailed");
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  const reached = await countMails();
  expect(reached).toBeLessThan(PEOPLE);

  // As if it had been killed so long ago that its claims have expired.
  await server.pool.query(
    "UPDATE outbox SET run_at = now() WHERE claimed_at IS NOT NULL AND done_at IS NULL",
  );
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${rows[0].name}`;
  const second = await spawnServer(databaseSettings(url.href));
  const isDone = () => count("SELECT count(*) FROM audit_log WHERE action = 'feature.announced'");
  await expect.poll(isDone, { interval: 200 }).toBe(1);
  second.child.kill("SIGTERM");
  await once(second.child, "exit");
  expect(await countMails()).toBe(PEOPLE);
  expect(
    await count("SELECT count(DISTINCT recipient) FROM mails WHERE subject = 'CSV Processing is open'"),
  ).toBe(PEOPLE);
});
