import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOf, openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START } from "../clock.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const MONTHLY = "price_csv_only_monthly";
const NOW = Math.floor(Date.now() / 1000);

function control(body: object): Promise<Response> {
  const url = `${running.origin}/sandbox/stripe/control/clocks`;
  return fetch(url, { method: "POST", body: JSON.stringify(body) });
}

test("a clock is created and advanced", async () => {
  const { stripe } = running;
  const { clock, customer, subscribe, advance } = await customerOnClock(stripe);
  expect(clock).toMatchObject({ frozen_time: START, status: "ready" });
  expect(customer).toMatchObject({ test_clock: clock.id, created: START });
  await subscribe(MONTHLY);
  await advance(START + DAY);
  const [ready] = await eventsOf(stripe, "test_helpers.test_clock.ready");
  expect(ready).toMatchObject({ created: START + DAY, data: { object: { id: clock.id } } });
});

test("a clock only goes forward", async () => {
  const { stripe } = running;
  const { advance } = await customerOnClock(stripe);
  await expect(advance(START)).rejects.toMatchObject({ statusCode: 400, param: "frozen_time" });
  await expect(stripe.testHelpers.testClocks.create({ frozen_time: 0 })).rejects.toMatchObject({
    param: "frozen_time",
  });
  await expect(stripe.customers.create({ test_clock: "clock_none" })).rejects.toMatchObject({
    statusCode: 400,
    param: "test_clock",
  });
  await expect(
    stripe.testHelpers.testClocks.advance("clock_none", { frozen_time: START }),
  ).rejects.toMatchObject({ statusCode: 404 });
});

test("a customer who exists already is put on a clock of their own, which a second call moves", async () => {
  const { stripe } = running;
  const { customer, url } = await openCheckout(stripe, MONTHLY);
  await press(url, "pay");
  const first = await control({ customer, frozen_time: NOW + 40 * DAY });
  const clock = await first.json();
  expect(clock).toMatchObject({ object: "test_helpers.test_clock", frozen_time: NOW + 40 * DAY });
  const [subscription] = (await stripe.subscriptions.list({ customer })).data;
  expect(subscription).toMatchObject({ test_clock: clock.id, status: "active" });
  expect(subscription?.items.data[0]?.current_period_start).toBeGreaterThan(NOW + 27 * DAY);

  const second = await control({ customer, frozen_time: NOW + 80 * DAY });
  expect(await second.json()).toMatchObject({ id: clock.id, frozen_time: NOW + 80 * DAY });
  expect((await stripe.invoices.list({ customer })).data).toHaveLength(3);
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer,
    line_items: [{ price: MONTHLY, quantity: 1 }],
    success_url: "http://shop.example/",
  });
  expect(session.created).toBe(NOW + 80 * DAY);
  // The time of one customer is not that of another.
  const other = await openCheckout(stripe, MONTHLY);
  await press(url, "pay");
  expect(await stripe.checkout.sessions.retrieve(other.id)).toMatchObject({ status: "open" });
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open" });
});

test("the control refuses what makes no sense", async () => {
  expect((await control({})).status).toBe(400);
  expect((await control({ customer: "cus_none" })).status).toBe(400);
  const { customer } = await customerOnClock(running.stripe);
  expect((await control({ customer: customer.id, frozen_time: START - 1 })).status).toBe(400);
  expect((await control({ customer: customer.id })).status).toBe(200);
  const got = await fetch(`${running.origin}/sandbox/stripe/control/clocks`);
  expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
});

test("changes of one customer at once, while the clock is advanced, come one after the other", async () => {
  const { stripe } = running;
  const { subscribe, advance, invoices, customer } = await customerOnClock(stripe);
  const { id } = await subscribe(MONTHLY);
  await Promise.all([
    advance(START + 100 * DAY),
    ...Array.from({ length: 8 }, (_, at) =>
      stripe.subscriptions.update(id, { metadata: { [`key${at}`]: "x" } }),
    ),
    ...Array.from({ length: 4 }, () => stripe.customers.update(customer.id, { name: "Ada" })),
  ]);
  const subscription = await stripe.subscriptions.retrieve(id);
  expect(Object.keys(subscription.metadata)).toHaveLength(8);
  expect(await invoices()).toHaveLength(4);
});
