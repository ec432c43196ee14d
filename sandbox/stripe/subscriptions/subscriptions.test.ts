import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

async function subscribe(price: string) {
  const { stripe } = running;
  const { customer, url } = await openCheckout(stripe, price);
  await press(url, "pay");
  const [subscription] = (await stripe.subscriptions.list({ customer })).data;
  if (!subscription) throw new Error("Paying started no subscription");
  return subscription;
}

test("a subscription can be set to end with its period, and set back", async () => {
  const { stripe } = running;
  const { id, items } = await subscribe("price_csv_only_monthly");
  const end = items.data[0]?.current_period_end;
  expect(await stripe.subscriptions.update(id, { cancel_at_period_end: true })).toMatchObject({
    status: "active",
    cancel_at_period_end: true,
    cancel_at: end,
    cancellation_details: { reason: "cancellation_requested" },
  });
  expect(await stripe.subscriptions.update(id, { cancel_at_period_end: false })).toMatchObject({
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
  });
  expect(await eventTypesOf(id)).toEqual([
    "customer.subscription.updated",
    "customer.subscription.updated",
    "customer.subscription.created",
  ]);
});

test("a canceled subscription is over: hidden from lists, gone for a second cancel", async () => {
  const { stripe } = running;
  const { id, customer } = await subscribe("price_csv_only_monthly");
  expect(await stripe.subscriptions.cancel(id)).toMatchObject({
    status: "canceled",
    ended_at: expect.any(Number),
  });
  const of = { customer: String(customer) };
  expect((await stripe.subscriptions.list(of)).data).toEqual([]);
  expect((await stripe.subscriptions.list({ ...of, status: "canceled" })).data).toMatchObject([{ id }]);
  expect((await stripe.subscriptions.list({ ...of, status: "all" })).data).toMatchObject([{ id }]);
  await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ statusCode: 404 });
  await expect(stripe.subscriptions.update(id, { cancel_at_period_end: true })).rejects.toMatchObject({
    statusCode: 400,
  });
});

test("when the period is over a subscription renews, or ends if that was asked for", async () => {
  const { stripe } = running;
  const renewing = await subscribe("price_csv_only_monthly");
  const ending = await subscribe("price_csv_only_yearly");
  await stripe.subscriptions.update(ending.id, { cancel_at_period_end: true });
  const yesterday = Math.floor(Date.now() / 1000) - 24 * 60 * 60;
  for (const { id } of [renewing, ending]) await endPeriodAt(id, yesterday);

  const isRenewed = async () => {
    const { items, latest_invoice } = await stripe.subscriptions.retrieve(renewing.id);
    return (
      Number(items.data[0]?.current_period_end) > yesterday && latest_invoice !== renewing.latest_invoice
    );
  };
  await expect.poll(isRenewed).toBe(true);
  expect((await stripe.subscriptions.retrieve(renewing.id)).status).toBe("active");
  await expect
    .poll(() => stripe.subscriptions.retrieve(ending.id))
    .toMatchObject({ status: "canceled", ended_at: yesterday });
});

async function endPeriodAt(id: string, time: number): Promise<void> {
  await running.pool.query(
    `UPDATE sandbox_stripe.objects
     SET object = jsonb_set(object, '{items,data,0,current_period_end}', to_jsonb($2::bigint)) WHERE id = $1`,
    [id, time],
  );
}

async function eventTypesOf(id: string): Promise<string[]> {
  const { data } = await running.stripe.events.list({ limit: 100 });
  return data
    .filter((event) => "id" in event.data.object && event.data.object.id === id)
    .map(({ type }) => type);
}
