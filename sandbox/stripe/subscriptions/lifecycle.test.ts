import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START, seconds } from "../clock.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const MONTHLY = "price_csv_only_monthly";

test("a subscription renews at the same time of each month, and events tell when", async () => {
  const { stripe } = running;
  const { subscribe, advance, onlySubscription, invoices, newEvents } = await customerOnClock(stripe);
  const { id, status } = await subscribe(MONTHLY);
  expect(status).toBe("active");
  await newEvents();
  await advance(seconds("2026-04-01T00:00:00Z"));
  expect(await onlySubscription()).toMatchObject({
    id,
    status: "active",
    items: {
      data: [
        {
          current_period_start: seconds("2026-03-31T12:00:00Z"),
          current_period_end: seconds("2026-04-30T12:00:00Z"),
        },
      ],
    },
  });
  expect(
    (await invoices()).map(({ billing_reason, status, total, created }) => [
      billing_reason,
      status,
      total,
      created,
    ]),
  ).toEqual([
    ["subscription_cycle", "paid", 299, seconds("2026-03-31T12:00:00Z")],
    ["subscription_cycle", "paid", 299, seconds("2026-02-28T12:00:00Z")],
    ["subscription_create", "paid", 299, START],
  ]);
  const events = await newEvents();
  expect(events.filter(({ type }) => type === "invoice.paid").map(({ at }) => at)).toEqual([
    seconds("2026-02-28T12:00:00Z"),
    seconds("2026-03-31T12:00:00Z"),
  ]);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort((a, b) => a - b));
});

test("a trial ends, and is then paid", async () => {
  const { stripe } = running;
  const { subscribe, advance, onlySubscription, invoices } = await customerOnClock(stripe);
  const trial = await subscribe(MONTHLY, { trial_period_days: 14 });
  expect(trial).toMatchObject({ status: "trialing", trial_start: START, trial_end: START + 14 * DAY });
  expect((await invoices()).map(({ total, status }) => [total, status])).toEqual([[0, "paid"]]);
  await advance(START + 15 * DAY);
  expect(await onlySubscription()).toMatchObject({
    status: "active",
    billing_cycle_anchor: START + 14 * DAY,
    items: { data: [{ current_period_start: START + 14 * DAY }] },
  });
  expect((await invoices())[0]).toMatchObject({
    total: 299,
    status: "paid",
    billing_reason: "subscription_cycle",
  });
});

test("a first payment that fails is not here: nothing is left of it", async () => {
  const { stripe } = running;
  const { subscribe, invoices } = await customerOnClock(stripe, "pm_card_chargeCustomerFail");
  await expect(subscribe(MONTHLY)).rejects.toMatchObject({ statusCode: 501, code: "not_in_sandbox" });
  expect(await invoices()).toEqual([]);
});

test("pausing the collection of payments: invoices are voided until it goes on", async () => {
  const { stripe } = running;
  const { subscribe, advance, onlySubscription, invoices } = await customerOnClock(stripe);
  const { id } = await subscribe(MONTHLY);
  await stripe.subscriptions.update(id, { pause_collection: { behavior: "void" } });
  await advance(seconds("2026-03-14T00:00:00Z"));
  expect(await onlySubscription()).toMatchObject({
    status: "active",
    pause_collection: { behavior: "void" },
  });
  expect((await invoices()).map(({ status }) => status)).toEqual(["void", "paid"]);
  await stripe.subscriptions.update(id, { pause_collection: "" });
  await advance(seconds("2026-04-01T00:00:00Z"));
  expect(await onlySubscription()).toMatchObject({ status: "active", pause_collection: null });
  expect((await invoices()).map(({ status }) => status)).toEqual(["paid", "void", "paid"]);
});

test("cancel_at ends it at that second, also between two renewals", async () => {
  const { stripe } = running;
  const { subscribe, advance, onlySubscription, newEvents } = await customerOnClock(stripe);
  const { id } = await subscribe(MONTHLY);
  const cancel_at = seconds("2026-03-10T08:00:00Z");
  expect(
    await stripe.subscriptions.update(id, {
      cancel_at,
      cancellation_details: { comment: "Too many bugs", feedback: "low_quality" },
    }),
  ).toMatchObject({ cancel_at, cancel_at_period_end: false, canceled_at: START });
  await advance(seconds("2026-04-01T00:00:00Z"));
  expect(await onlySubscription()).toMatchObject({
    status: "canceled",
    ended_at: cancel_at,
    canceled_at: START,
    cancellation_details: {
      comment: "Too many bugs",
      feedback: "low_quality",
      reason: "cancellation_requested",
    },
  });
  expect(await newEvents()).toContainEqual({ type: "customer.subscription.deleted", at: cancel_at });
});

const RENEWAL = seconds("2026-02-28T12:00:00Z");

/** A subscription whose card fails from the first renewal on. */
async function failingSubscription() {
  const on = await customerOnClock(running.stripe);
  await on.subscribe(MONTHLY);
  await on.setCard("pm_card_chargeCustomerFail");
  await on.advance(RENEWAL + 3600);
  return on;
}

test("a failed renewal is tried again after 3, 5 and 7 days, and then the subscription ends", async () => {
  const { onlySubscription, invoices, advance, newEvents } = await failingSubscription();
  expect(await onlySubscription()).toMatchObject({ status: "past_due" });
  expect((await invoices())[0]).toMatchObject({
    status: "open",
    attempt_count: 1,
    next_payment_attempt: RENEWAL + 3 * DAY,
  });
  await newEvents();
  await advance(RENEWAL + 4 * DAY);
  expect((await invoices())[0]).toMatchObject({ attempt_count: 2, next_payment_attempt: RENEWAL + 5 * DAY });
  await advance(RENEWAL + 8 * DAY);
  expect((await invoices())[0]).toMatchObject({
    status: "open",
    attempt_count: 4,
    next_payment_attempt: null,
  });
  expect(await onlySubscription()).toMatchObject({
    status: "canceled",
    ended_at: RENEWAL + 7 * DAY,
    cancellation_details: { reason: "payment_failed" },
  });
  const failures = (await newEvents()).filter(({ type }) => type === "invoice.payment_failed");
  expect(failures.map(({ at }) => at)).toEqual([3, 5, 7].map((days) => RENEWAL + days * DAY));
});

test("a renewal that needs its cardholder is past due, and says so", async () => {
  const { stripe } = running;
  const { subscribe, setCard, advance, onlySubscription, newEventTypes } = await customerOnClock(stripe);
  await subscribe(MONTHLY);
  await setCard("pm_card_authenticationRequired");
  await newEventTypes(/./);
  await advance(RENEWAL);
  expect(await onlySubscription()).toMatchObject({ status: "past_due" });
  expect(await newEventTypes(/invoice\.payment/)).toEqual([
    "invoice.payment_action_required",
    "invoice.payment_failed",
  ]);
});

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
