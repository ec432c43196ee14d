import { once } from "node:events";
import { expect, test } from "vitest";
import { databaseSettings } from "../database.ts";
import { allJobsDone, eventually, postForm } from "../http.ts";
import { createOperator } from "../operator.ts";
import { openPayer } from "../plan-states.ts";
import { setupServer } from "../server.fixture.ts";
import { spawnServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";

const PEOPLE = 600;
const PAYERS = 5;
const server = setupServer();

const count = async (query: string) => Number((await server.pool.query(query)).rows[0].count);
const countMails = () => count("SELECT count(*) FROM mails WHERE subject = 'CSV Processing is open'");

test("a process that is killed while a feature is announced leaves the rest to the next: each mail is written and each plan moved once", async () => {
  const payers: Awaited<ReturnType<typeof openPayer>>[] = [];
  for (let i = 0; i < PAYERS; i++) payers.push(await openPayer(server, "price_csv_only_monthly"));
  const users = await createSignedInUsers(server.pool, PEOPLE);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, created_at, expires_at)
     SELECT gen_random_uuid(), id, 'basic', 'admin', now() - n * interval '1 hour', now() + interval '1 month'
     FROM unnest($1::text[]) WITH ORDINALITY AS given (id, n)`,
    [users.map(({ id }) => id)],
  );
  await server.pool.query("CREATE TABLE before AS SELECT id, expires_at FROM grants");
  const ends = await atStripe(payers);
  const { cookie } = await createOperator(server.pool);
  const fields = { feature: "csv_processing", do: "open", when: "now", seen: "", sure: "on" };
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
  const moved = () => count("SELECT count(*) FROM stripe_subscriptions WHERE days_given IS NOT NULL");
  await expect.poll(moved, { interval: 200 }).toBe(PAYERS);
  await allJobsDone(server);
  second.child.kill("SIGTERM");
  await once(second.child, "exit");
  expect(await countMails()).toBe(PEOPLE + PAYERS);
  expect(
    await count("SELECT count(DISTINCT recipient) FROM mails WHERE subject = 'CSV Processing is open'"),
  ).toBe(PEOPLE + PAYERS);

  // Each grant by its own days, rounded up, and each subscription by the one since it was paid.
  const { rows: wrong } = await server.pool.query(
    `SELECT * FROM grants JOIN before USING (id), features WHERE days_given IS NULL
       OR days_given <> ceil(extract(epoch FROM opened_at - created_at) / 86400)
       OR grants.expires_at <> before.expires_at + days_given * interval '24 hours'`,
  );
  expect(wrong).toEqual([]);
  const after = await atStripe(payers);
  expect(after.map(({ ends }) => ends)).toEqual(ends.map(({ ends }) => ends + 86_400));
  expect(after.map(({ ends }) => ends)).toEqual(after.map(({ stored }) => stored));
});

/** When each payer's period ends at Stripe, and here, in unix seconds. */
async function atStripe(payers: readonly { subscription: string }[]) {
  const { rows } = await server.pool.query<{ ends: number; stored: number }>(
    `SELECT (object -> 'items' -> 'data' -> 0 ->> 'current_period_end')::int AS ends,
       extract(epoch FROM current_period_end)::int AS stored
     FROM sandbox_stripe.objects JOIN stripe_subscriptions USING (id) WHERE id = ANY($1) ORDER BY id`,
    [payers.map(({ subscription }) => subscription)],
  );
  return rows;
}
