import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOf, startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START, seconds } from "../clock.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const [MONTHLY, YEARLY] = ["price_csv_only_monthly", "price_csv_only_yearly"];
const [MORE_MONTHLY, MORE_YEARLY] = ["price_csv_banking_monthly", "price_csv_banking_yearly"];

/** A subscription whose schedule goes over to another price at the end of its period. */
async function downgradeLater(from = MORE_MONTHLY, to = MONTHLY) {
  const { stripe } = running;
  const on = await customerOnClock(stripe);
  const { id, items } = await on.subscribe(from);
  await on.advance(START + 10 * DAY);
  const created = await stripe.subscriptionSchedules.create({ from_subscription: id });
  const [current] = created.phases;
  const end = Number(items.data[0]?.current_period_end);
  const schedule = await stripe.subscriptionSchedules.update(created.id, {
    end_behavior: "release",
    phases: [
      { items: [{ price: from, quantity: 1 }], start_date: Number(current?.start_date), end_date: end },
      { items: [{ price: to, quantity: 1 }], proration_behavior: "none" },
    ],
  });
  return { ...on, id, end, schedule };
}

test("a schedule is made from what the subscription is", async () => {
  const { stripe } = running;
  const { subscribe, onlySubscription, newEventTypes } = await customerOnClock(stripe);
  const { id, items } = await subscribe(MORE_MONTHLY);
  const end_date = items.data[0]?.current_period_end;
  await newEventTypes(/./);
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id });
  expect(schedule).toMatchObject({
    object: "subscription_schedule",
    status: "active",
    end_behavior: "release",
    current_phase: { start_date: START, end_date },
    phases: [{ start_date: START, end_date, items: [{ price: MORE_MONTHLY, quantity: 1 }] }],
    subscription: id,
  });
  expect((await onlySubscription()).schedule).toBe(schedule.id);
  expect(await newEventTypes(/./)).toEqual([
    "subscription_schedule.created",
    "customer.subscription.updated",
  ]);
  const expanded = await stripe.subscriptions.retrieve(id, { expand: ["schedule"] });
  expect(expanded.schedule).toMatchObject({ id: schedule.id });
  await expect(stripe.subscriptionSchedules.create({ from_subscription: id })).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining("already attached to a schedule"),
  });
});

test("a downgrade waits for the end of the period, is renewed at the new price, and lets go in the end", async () => {
  const { stripe } = running;
  const { id, end, schedule, advance, onlySubscription, invoices, newEventTypes } = await downgradeLater();
  expect(schedule.phases.map(({ start_date, end_date }) => [start_date, end_date])).toEqual([
    [START, end],
    [end, seconds("2026-03-28T12:00:00Z")],
  ]);
  expect(await onlySubscription()).toMatchObject({ items: { data: [{ price: { id: MORE_MONTHLY } }] } });
  expect(await stripe.invoices.createPreview({ subscription: id })).toMatchObject({
    total: 299,
    period_end: end,
  });
  await newEventTypes(/./);

  await advance(end + DAY);
  expect(await onlySubscription()).toMatchObject({
    status: "active",
    schedule: schedule.id,
    items: {
      data: [
        {
          price: { id: MONTHLY },
          current_period_start: end,
          current_period_end: seconds("2026-03-31T12:00:00Z"),
        },
      ],
    },
  });
  expect((await invoices()).map(({ total, billing_reason }) => [total, billing_reason])).toEqual([
    [299, "subscription_cycle"],
    [499, "subscription_create"],
  ]);
  expect(await newEventTypes(/^subscription_schedule/)).toEqual(["subscription_schedule.updated"]);

  await advance(seconds("2026-03-29T00:00:00Z"));
  expect((await onlySubscription()).schedule).toBeNull();
  const [completed] = await eventsOf(stripe, "subscription_schedule.completed");
  expect(completed?.data.object).toMatchObject({
    id: schedule.id,
    status: "completed",
    subscription: null,
    current_phase: null,
  });
});

test("from a year to a month: the month begins when the year is over", async () => {
  const { advance, end, onlySubscription, invoices } = await downgradeLater(MORE_YEARLY, MONTHLY);
  expect(end).toBe(seconds("2027-01-31T12:00:00Z"));
  await advance(end + DAY);
  expect(await onlySubscription()).toMatchObject({
    billing_cycle_anchor: end,
    items: {
      data: [
        {
          price: { id: MONTHLY },
          current_period_start: end,
          current_period_end: seconds("2027-02-28T12:00:00Z"),
        },
      ],
    },
  });
  expect((await invoices())[0]).toMatchObject({ total: 299, status: "paid", created: end });
});

test("a released schedule changes nothing any more", async () => {
  const { stripe } = running;
  const { schedule, end, advance, onlySubscription } = await downgradeLater();
  expect(await stripe.subscriptionSchedules.release(schedule.id)).toMatchObject({ status: "released" });
  await advance(end + DAY);
  expect(await onlySubscription()).toMatchObject({
    schedule: null,
    items: { data: [{ price: { id: MORE_MONTHLY } }] },
  });
  await expect(stripe.subscriptionSchedules.release(schedule.id)).rejects.toMatchObject({ statusCode: 400 });
  await expect(
    stripe.subscriptionSchedules.update(schedule.id, { phases: [{ items: [{ price: MONTHLY }] }] }),
  ).rejects.toMatchObject({ statusCode: 400 });
});

test("canceling a subscription ends its schedule, which alone decides about another end", async () => {
  const { stripe } = running;
  const { id, schedule } = await downgradeLater();
  await expect(stripe.subscriptions.update(id, { cancel_at_period_end: true })).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining(
      `managed by the subscription schedule \`${schedule.id}\`, and updating any cancelation behavior directly is not allowed`,
    ),
  });
  await stripe.subscriptions.cancel(id);
  const [canceled] = await eventsOf(stripe, "subscription_schedule.canceled");
  expect(canceled?.data.object).toMatchObject({ id: schedule.id, status: "canceled" });
});

test("a change of the current phase changes the subscription at once, with prorations", async () => {
  const { stripe } = running;
  const { schedule, end, onlySubscription, invoices } = await downgradeLater();
  await stripe.subscriptionSchedules.update(schedule.id, {
    proration_behavior: "always_invoice",
    phases: [{ items: [{ price: MORE_MONTHLY, quantity: 2 }], start_date: START, end_date: end }],
  });
  expect(await onlySubscription()).toMatchObject({ items: { data: [{ quantity: 2 }] } });
  expect((await invoices())[0]).toMatchObject({ total: 321, billing_reason: "subscription_update" });
});

test("phases follow each other without a gap, with prices that can be had", async () => {
  const { stripe } = running;
  const { schedule, end } = await downgradeLater();
  const current = { items: [{ price: MORE_MONTHLY }], start_date: START, end_date: end };
  const refused = (phases: Stripe.SubscriptionScheduleUpdateParams.Phase[]) =>
    expect(stripe.subscriptionSchedules.update(schedule.id, { phases })).rejects;
  await refused([{ ...current, start_date: START + 1 }]).toMatchObject({ param: "phases[0][start_date]" });
  await refused([{ ...current, end_date: START + 1 }]).toMatchObject({ param: "phases[0][end_date]" });
  await refused([current, { items: [{ price: MONTHLY }], start_date: end + 1 }]).toMatchObject({
    param: "phases[1][start_date]",
  });
  await refused([current, { items: [{ price: "price_none" }] }]).toMatchObject({
    param: "phases[1][items][0][price]",
  });
  await stripe.prices.update(YEARLY, { active: false });
  await refused([current, { items: [{ price: YEARLY }] }]).toMatchObject({
    param: "phases[1][items][0][price]",
  });
  await stripe.prices.update(YEARLY, { active: true });
});
