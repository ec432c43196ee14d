import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { freePort } from "../db/embedded.server.ts";
import { watchGauges } from "./gauges.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

test("what waits, for how long, and who works is read from the rows, at most every five seconds", async () => {
  await database.pool.query(`
    INSERT INTO outbox (kind, payload, run_at, attempts, created_at) VALUES
      ('send_mail', '{}', now() - interval '100 seconds', 6, now() - interval '1 hour'),
      ('send_mail', '{}', now() + interval '1 hour', 0, now()), ('sync_customer', '{}', now() + interval '1 hour', 0, now());
    INSERT INTO processes (id, role, version, host, seen_at) VALUES
      ('a', 'web', '1', 'h', now()), ('b', 'web', '1', 'h', now()), ('c', 'worker', '1', 'h', now() - interval '5 minutes');
    INSERT INTO stripe_events (id, type, created, received_at) VALUES
      ('evt_1', 'invoice.paid', now() - interval '40 seconds', now() - interval '30 seconds')`);
  const gauges = watchGauges(database.url);
  const found = new Map(
    (await gauges.read()).map(({ name, labels, value }) => [
      [name, ...Object.values(labels ?? {})].join(" "),
      value,
    ]),
  );
  expect(Object.fromEntries(found)).toMatchObject({
    db_up: 1,
    mails_waiting: 0,
    stripe_webhook_unhandled_events: 1,
    ...{
      "outbox_open_jobs send_mail": 2,
      "outbox_stuck_jobs send_mail": 1,
      "outbox_open_jobs sync_customer": 1,
    },
    "processes_running web": 2,
    stripe_webhook_delay_seconds: 10,
  });
  expect(found.get("outbox_oldest_due_seconds send_mail")).toBeCloseTo(100, -1);
  expect(found.get("stripe_webhook_oldest_unhandled_seconds")).toBeCloseTo(30, -1);
  for (const absent of [
    "outbox_oldest_due_seconds sync_customer",
    "processes_running worker",
    "reconcile_customers",
  ])
    expect(found.has(absent)).toBe(false);
  expect(gauges.read()).toBe(gauges.read());
  await gauges.close();
});

test("a database that refuses, or takes the connection and never answers, is said to be away within seconds", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const ports = [await freePort(), typeof address === "object" ? address?.port : 0];
  const answers = ports.map(async (port) => {
    const gauges = watchGauges(`postgres://127.0.0.1:${port}/none`);
    const samples = await gauges.read();
    await gauges.close();
    return samples;
  });
  expect(await Promise.all(answers)).toEqual([[{ name: "db_up", value: 0 }], [{ name: "db_up", value: 0 }]]);
  silent.close();
});
