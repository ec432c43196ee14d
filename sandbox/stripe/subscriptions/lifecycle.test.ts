import { afterAll, beforeAll, expect, test } from "vitest";
import { press, startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START, seconds } from "../clocks/clock.fixture.ts";

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
  expect(events.filter(({ type }) => type === "invoice.upcoming").map(({ at }) => at)).toEqual([
    seconds("2026-02-21T12:00:00Z"),
    seconds("2026-03-24T12:00:00Z"),
  ]);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort((a, b) => a - b));
});

test("a trial is announced three days before its end, and then paid", async () => {
  const { stripe } = running;
  const { subscribe, advance, onlySubscription, invoices, newEvents } = await customerOnClock(stripe);
  const trial = await subscribe(MONTHLY, { trial_period_days: 14 });
  expect(trial).toMatchObject({ status: "trialing", trial_start: START, trial_end: START + 14 * DAY });
  expect((await invoices()).map(({ total, status }) => [total, status])).toEqual([[0, "paid"]]);
  await newEvents();
  await advance(START + 12 * DAY);
  expect(await newEvents()).toContainEqual({
    type: "customer.subscription.trial_will_end",
    at: START + 11 * DAY,
  });
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

test("a first payment that fails leaves it incomplete, and it expires after 23 hours", async () => {
  const { stripe } = running;
  const { subscribe, advance, onlySubscription, invoices } = await customerOnClock(
    stripe,
    "pm_card_chargeCustomerFail",
  );
  expect(await subscribe(MONTHLY)).toMatchObject({ status: "incomplete" });
  await advance(START + 22 * 3600);
  expect(await onlySubscription()).toMatchObject({ status: "incomplete" });
  await advance(START + 24 * 3600);
  expect(await onlySubscription()).toMatchObject({
    status: "incomplete_expired",
    ended_at: START + 23 * 3600,
  });
  expect(await invoices()).toMatchObject([{ status: "void" }]);
});

test("an incomplete subscription that is canceled has expired", async () => {
  const { stripe } = running;
  const { subscribe, invoices } = await customerOnClock(stripe, "pm_card_chargeCustomerFail");
  const { id } = await subscribe(MONTHLY);
  expect(await stripe.subscriptions.cancel(id)).toMatchObject({
    status: "incomplete_expired",
    canceled_at: START,
    ended_at: START,
  });
  expect(await invoices()).toMatchObject([{ status: "void" }]);
  await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ statusCode: 404 });
});

test("an incomplete subscription becomes active when its invoice is paid with another card", async () => {
  const { stripe } = running;
  const { subscribe, onlySubscription, invoices } = await customerOnClock(
    stripe,
    "pm_card_authenticationRequired",
  );
  expect(await subscribe(MONTHLY)).toMatchObject({ status: "incomplete" });
  const [invoice] = await invoices();
  await press(invoice?.hosted_invoice_url ?? "", "pay");
  expect(await onlySubscription()).toMatchObject({ status: "active" });
});

test("pausing the collection of payments: invoices are voided until the day it resumes by itself", async () => {
  const { stripe } = running;
  const { subscribe, advance, onlySubscription, invoices } = await customerOnClock(stripe);
  const { id } = await subscribe(MONTHLY);
  const resumes_at = seconds("2026-03-15T00:00:00Z");
  await stripe.subscriptions.update(id, { pause_collection: { behavior: "void", resumes_at } });
  await advance(seconds("2026-03-14T00:00:00Z"));
  expect(await onlySubscription()).toMatchObject({
    status: "active",
    pause_collection: { behavior: "void" },
  });
  expect((await invoices()).map(({ status }) => status)).toEqual(["void", "paid"]);
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
