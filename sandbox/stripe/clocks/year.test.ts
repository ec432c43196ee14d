import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START, seconds } from "../clock.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const [BASIC, PREMIUM] = ["price_csv_only_monthly", "price_csv_banking_monthly"];

/** What tells one stage from the next; payments in detail are in other tests. */
const TOLD =
  /^(customer\.subscription|subscription_schedule|invoice\.(paid|payment|voided)|charge\.refunded)/;

test("a customer's year: trial, renewals, failed card, recovery, up, down, cancel, resume, refund, end", async () => {
  const { stripe } = running;
  const on = await customerOnClock(stripe);
  const { advance, setCard, invoices } = on;
  const { id } = await on.subscribe(BASIC, { trial_period_days: 14 });

  /** The subscription as it is now, in one line, and what was told since the last stage. */
  async function stage() {
    const subscription = await on.onlySubscription();
    const [item] = subscription.items.data;
    const end = new Date(Number(item?.current_period_end) * 1000).toISOString().slice(0, 10);
    const plan = String(item?.price.id).replace("price_csv_", "");
    return {
      is: `${subscription.status}, ${plan} until ${end}`,
      paid: (await invoices()).reduce((sum, { amount_paid }) => sum + amount_paid, 0),
      told: await on.newEventTypes(TOLD),
    };
  }

  expect(await stage()).toEqual({
    is: "trialing, only_monthly until 2026-02-14",
    paid: 0,
    told: ["customer.subscription.created", "invoice.paid", "invoice.payment_succeeded"],
  });

  // The trial ends, and its first month is paid.
  await advance(seconds("2026-02-15T00:00:00Z"));
  expect(await stage()).toEqual({
    is: "active, only_monthly until 2026-03-14",
    paid: 299,
    told: ["customer.subscription.updated", "invoice.paid", "invoice.payment_succeeded"],
  });

  // Two renewals.
  await advance(seconds("2026-04-15T00:00:00Z"));
  const renewal = ["customer.subscription.updated", "invoice.paid", "invoice.payment_succeeded"];
  expect(await stage()).toEqual({
    is: "active, only_monthly until 2026-05-14",
    paid: 3 * 299,
    told: [...renewal, ...renewal],
  });

  // The card fails, and again three days later.
  await setCard("pm_card_chargeCustomerFail");
  await advance(seconds("2026-05-18T00:00:00Z"));
  expect(await stage()).toEqual({
    is: "past_due, only_monthly until 2026-06-14",
    paid: 3 * 299,
    told: [
      "customer.subscription.updated",
      "invoice.payment_failed",
      "customer.subscription.updated",
      "invoice.payment_failed",
    ],
  });

  // A new card, and the next retry succeeds.
  await setCard("pm_card_mastercard");
  await advance(seconds("2026-05-20T00:00:00Z"));
  expect(await stage()).toEqual({
    is: "active, only_monthly until 2026-06-14",
    paid: 4 * 299,
    told: ["invoice.paid", "invoice.payment_succeeded", "customer.subscription.updated"],
  });

  // Up at once: 25.5 of 31 days are left, of 299 and of 499.
  const [item] = (await on.onlySubscription()).items.data;
  await stripe.subscriptions.update(id, {
    items: [{ id: String(item?.id), price: PREMIUM }],
    proration_behavior: "always_invoice",
    payment_behavior: "pending_if_incomplete",
  });
  expect(await stage()).toEqual({
    is: "active, banking_monthly until 2026-06-14",
    paid: 4 * 299 + 164,
    told: ["invoice.paid", "invoice.payment_succeeded", "customer.subscription.updated"],
  });

  // Down at the end of the period, by a schedule.
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id });
  const [current] = schedule.phases;
  await stripe.subscriptionSchedules.update(schedule.id, {
    phases: [
      {
        items: [{ price: PREMIUM }],
        start_date: Number(current?.start_date),
        end_date: Number(current?.end_date),
      },
      { items: [{ price: BASIC }], proration_behavior: "none" },
    ],
  });
  await advance(seconds("2026-06-15T00:00:00Z"));
  expect(await stage()).toEqual({
    is: "active, only_monthly until 2026-07-14",
    paid: 5 * 299 + 164,
    told: [
      "subscription_schedule.created",
      "customer.subscription.updated",
      "subscription_schedule.updated",
      "subscription_schedule.updated",
      "customer.subscription.updated",
      "customer.subscription.updated",
      "invoice.paid",
      "invoice.payment_succeeded",
    ],
  });

  // Canceled, and resumed before the day. The schedule has to let go first.
  await stripe.subscriptionSchedules.release(schedule.id);
  expect(await stripe.subscriptions.update(id, { cancel_at_period_end: true })).toMatchObject({
    cancel_at: seconds("2026-07-14T12:00:00Z"),
  });
  await advance(seconds("2026-07-01T00:00:00Z"));
  await stripe.subscriptions.update(id, { cancel_at_period_end: false });
  await advance(seconds("2026-07-15T00:00:00Z"));
  expect(await stage()).toEqual({
    is: "active, only_monthly until 2026-08-14",
    paid: 6 * 299 + 164,
    told: [
      "subscription_schedule.released",
      "customer.subscription.updated",
      "customer.subscription.updated",
      "customer.subscription.updated",
      ...renewal,
    ],
  });

  // The last payment is given back; the subscription goes on until it is canceled.
  const [latest] = await invoices();
  const { data: payments } = await stripe.invoicePayments.list({ invoice: String(latest?.id) });
  await stripe.refunds.create({ payment_intent: String(payments[0]?.payment.payment_intent) });
  expect((await stage()).told).toEqual(["charge.refunded"]);

  await stripe.subscriptions.update(id, {
    cancel_at_period_end: true,
    cancellation_details: { feedback: "unused" },
  });
  await advance(START + 365 * DAY);
  expect(await stage()).toEqual({
    is: "canceled, only_monthly until 2026-08-14",
    paid: 6 * 299 + 164,
    told: ["customer.subscription.updated", "customer.subscription.deleted"],
  });
  expect(await on.onlySubscription()).toMatchObject({
    canceled_at: seconds("2026-07-15T00:00:00Z"),
    ended_at: seconds("2026-08-14T12:00:00Z"),
    cancellation_details: { reason: "cancellation_requested", feedback: "unused" },
  } satisfies Partial<Record<keyof Stripe.Subscription, unknown>>);
});
