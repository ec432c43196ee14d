import Stripe from "stripe";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connectStripe, setKnobs, startTestSandbox } from "../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterEach(() => setKnobs(running, { reset: true }));
afterAll(() => running.close());

/** An SDK that gives up after a third of a second and does not try again by itself. */
function impatient(): Stripe {
  const { hostname: host, port } = new URL(running.origin);
  const options = { host, port, protocol: "http", timeout: 300, maxNetworkRetries: 0 } as const;
  return new Stripe("sk_test_sandbox", options);
}

async function customersCalled(name: string): Promise<number> {
  const { data } = await running.stripe.customers.list({ limit: 100 });
  return data.filter((customer) => customer.name === name).length;
}

test("the knobs hold for every process, show themselves, and go back together", async () => {
  const knobs = { api: "down", timeouts: 0.3, endpoints: "POST /v1/checkout", seed: 7 };
  expect(await (await setKnobs(running, knobs)).json()).toMatchObject({ ...knobs, errors: 0 });
  await expect(running.stripe.customers.list()).rejects.toMatchObject({
    statusCode: 503,
    rawType: "api_error",
  });
  expect(await (await setKnobs(running, { reset: true, errors: 1 })).json()).toMatchObject({
    timeouts: 0,
    endpoints: "",
    errors: 1,
    api: "up",
  });
  for (const wrong of [{ timeouts: 1.5 }, { api: "sideways" }, { latency: 5 }, { reset: false }])
    expect((await setKnobs(running, wrong)).status).toBe(400);
});

test("a call past the rate limit is refused with 429, and its key is free for the next", async () => {
  await setKnobs(running, { rate_limits: 1, endpoints: "POST /v1/customers" });
  const create = () => running.stripe.customers.create({ name: "Busy" }, { idempotencyKey: "busy" });
  await expect(create()).rejects.toMatchObject({
    statusCode: 429,
    code: "rate_limit",
    type: "StripeRateLimitError",
  });
  expect(await customersCalled("Busy")).toBe(0);
  await setKnobs(running, { reset: true });
  await create();
  expect(await customersCalled("Busy")).toBe(1);
});

test("a call that times out was executed or not, and its key tells which", async () => {
  await setKnobs(running, { timeouts: 1, endpoints: "POST /v1/customers" });
  const keys = Array.from({ length: 12 }, (_, at) => `timeout-${at}`);
  const stripe = impatient();
  const answers = await Promise.allSettled(
    keys.map((idempotencyKey) => stripe.customers.create({ name: "Late" }, { idempotencyKey })),
  );
  for (const answer of answers)
    expect(answer).toMatchObject({
      status: "rejected",
      reason: { type: "StripeConnectionError", message: expect.stringContaining("timeout being reached") },
    });
  const executed = await customersCalled("Late");
  expect(executed).toBeGreaterThan(0);
  expect(executed).toBeLessThan(12);

  await setKnobs(running, { reset: true });
  for (const idempotencyKey of keys) await stripe.customers.create({ name: "Late" }, { idempotencyKey });
  expect(await customersCalled("Late")).toBe(12);
});

test("a 500 is saved under its key, and says that trying again is no use", async () => {
  const { stripe } = running;
  const create = (key: string) => stripe.customers.create({ name: "Broken" }, { idempotencyKey: key });
  await setKnobs(running, { errors: 1 });
  await expect(create("broken")).rejects.toMatchObject({
    type: "StripeAPIError",
    statusCode: 500,
    headers: { "stripe-should-retry": "false" },
  });
  await expect(stripe.customers.list()).rejects.toMatchObject({ statusCode: 500 });
  await setKnobs(running, { reset: true });
  await expect(create("broken")).rejects.toMatchObject({
    statusCode: 500,
    headers: { "idempotent-replayed": "true", "stripe-should-retry": "false" },
  });
  await create("another");
  expect(await customersCalled("Broken")).toBe(1);
});

test("a lost reply: the work is done, the connection ends without a byte, and the SDK's second try gets the answer", async () => {
  const create = (key: string, stripe: Stripe) =>
    stripe.customers.create({ name: "Lost" }, { idempotencyKey: key });
  await setKnobs(running, { lost_replies: 1, endpoints: "POST /v1/customers" });
  await expect(create("lost", running.stripe)).rejects.toMatchObject({ type: "StripeConnectionError" });
  expect(await customersCalled("Lost")).toBe(1);
  const raw = fetch(`${running.origin}/v1/customers`, { method: "POST" });
  await expect(raw).rejects.toMatchObject({ cause: { code: "UND_ERR_SOCKET" } });

  await setKnobs(running, { lost_replies: 0 });
  const { lastResponse } = await create("lost", connectStripe(running.origin));
  expect(new Headers(lastResponse.headers).get("idempotent-replayed")).toBe("true");
  expect(await customersCalled("Lost")).toBe(1);
});

test("the same seed gives the same faults, another one others", async () => {
  const { stripe } = running;
  const run = async (seed: number) => {
    await setKnobs(running, { reset: true, errors: 0.5, endpoints: "/v1/products", seed });
    const outcomes = [];
    for (let n = 0; n < 24; n += 1) {
      await stripe.prices.list({ limit: 1 });
      outcomes.push(
        await stripe.products.list({ limit: 1 }).then(
          () => ".",
          () => "x",
        ),
      );
    }
    return outcomes.join("");
  };
  const first = await run(42);
  expect(await run(42)).toBe(first);
  expect(await run(43)).not.toBe(first);
  expect(first.split("x").length - 1).toBeGreaterThan(4);
  expect(first.split(".").length - 1).toBeGreaterThan(4);
});

test("events are lost for good", async () => {
  const { stripe, webhook } = running;
  await setKnobs(running, { events_lost: 1 });
  const lost = await stripe.customers.create({ name: "Unheard" });
  await setKnobs(running, { reset: true });
  const heard = await stripe.customers.create({ name: "Heard" });
  const received = () => webhook.received.map(({ data }) => "id" in data.object && data.object.id);
  await expect.poll(received).toContain(heard.id);
  expect(received()).not.toContain(lost.id);
  const { data } = await stripe.events.list({ delivery_success: false });
  expect(data).toMatchObject([{ type: "customer.created", pending_webhooks: 1 }]);
});
