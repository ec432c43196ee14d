import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { eventsOf, startTestSandbox } from "../testing/stripe.ts";
import { openStripeSandbox } from "./stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());
beforeEach(async () => {
  await expect.poll(queued).toBe(0);
  running.webhook.received.length = 0;
  running.webhook.attempts = 0;
});

async function queued(): Promise<number> {
  const { rows } = await running.pool.query<{ n: number }>(
    "SELECT count(*)::float8 AS n FROM sandbox_stripe.deliveries",
  );
  return rows[0]?.n ?? 0;
}

function received(): unknown[] {
  return running.webhook.received.map((event) => "id" in event.data.object && event.data.object.id);
}

function setWebhooks(webhooks: "hold" | "deliver"): Promise<Response> {
  const body = JSON.stringify({ webhooks });
  return fetch(`${running.origin}/sandbox/stripe/control`, { method: "POST", body });
}

test("an event is sent again until the webhook takes it", async () => {
  const { stripe, webhook } = running;
  webhook.status = 500;
  const { id } = await stripe.customers.create();
  await expect.poll(() => webhook.attempts).toBe(2);
  const [pending] = await eventsOf(stripe, "customer.created");
  expect(pending?.pending_webhooks).toBe(1);

  webhook.status = 200;
  await expect.poll(received).toEqual([id]);
  const pendingWebhooks = async () => (await eventsOf(stripe, "customer.created"))[0]?.pending_webhooks;
  await expect.poll(pendingWebhooks).toBe(0);
  expect(running.logged.join()).toContain("not delivered yet: the webhook answered 500");
});

test("after ten attempts it gives up", async () => {
  const { stripe, webhook, pool, logged } = running;
  webhook.status = 500;
  await setWebhooks("hold");
  await stripe.customers.create();
  await pool.query("UPDATE sandbox_stripe.deliveries SET attempts = 9");
  await setWebhooks("deliver");
  await expect.poll(queued).toBe(0);
  webhook.status = 200;
  expect(webhook.attempts).toBe(1);
  expect(logged.join()).toContain("gave up on customer.created");
});

test("held events wait, and outlive the process that caused them", async () => {
  const { stripe, options } = running;
  await setWebhooks("hold");
  const first = await openStripeSandbox(options);
  first.start();
  const { id } = await stripe.customers.create();
  await first.close();
  await setTimeout(1_500);
  expect(received()).toEqual([]);

  const second = await openStripeSandbox(options);
  second.start();
  await setWebhooks("deliver");
  await expect.poll(received).toEqual([id]);
  await second.close();
});

test("several processes send each event once", async () => {
  const { stripe, options } = running;
  const others = await Promise.all([openStripeSandbox(options), openStripeSandbox(options)]);
  for (const each of others) each.start();
  // Slow enough for the others to look for work while an event is on its way.
  running.webhook.delayMs = 1_500;
  await setWebhooks("hold");
  const created = await Promise.all(Array.from({ length: 25 }, () => stripe.customers.create()));
  await setWebhooks("deliver");
  await expect.poll(queued).toBe(0);
  running.webhook.delayMs = 0;
  expect(received().sort()).toEqual(created.map(({ id }) => id).sort());
  await Promise.all(others.map((each) => each.close()));
});

test("nothing is sent once the sandbox is closed", async () => {
  const { stripe, sandbox, webhook } = running;
  await sandbox.close();
  await stripe.customers.create();
  await setTimeout(1_500);
  expect(webhook.attempts).toBe(0);
});
