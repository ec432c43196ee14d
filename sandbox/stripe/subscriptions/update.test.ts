import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START } from "../clocks/clock.fixture.ts";
import { HALF, halfway } from "./halfway.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const [MONTHLY, YEARLY] = ["price_csv_only_monthly", "price_csv_only_yearly"];

test("a trial that is added waits for its end", async () => {
  const { stripe } = running;
  const on = await customerOnClock(stripe);
  const { id } = await on.subscribe(MONTHLY);
  const trial_end = START + 20 * DAY;
  expect(await stripe.subscriptions.update(id, { trial_end, proration_behavior: "none" })).toMatchObject({
    status: "trialing",
    billing_cycle_anchor: trial_end,
  });
});

test("what does not fit is refused", async () => {
  const { stripe } = running;
  const { id, item } = await halfway(stripe, MONTHLY);
  const refused = (params: Stripe.SubscriptionUpdateParams) =>
    expect(stripe.subscriptions.update(id, params)).rejects;
  await refused({ items: [{ id: "si_none", price: YEARLY }] }).toMatchObject({ code: "resource_missing" });
  await refused({ items: [{ id: item, price: "price_none" }] }).toMatchObject({ param: "items[0][price]" });
  await refused({ items: [{ id: item, deleted: true }] }).toMatchObject({ param: "items" });
  await refused({ items: [{ price: YEARLY }] }).toMatchObject({ param: "items" });
  await refused({ items: [{ id: item, quantity: -1 }] }).toMatchObject({ param: "items[0][quantity]" });
  await refused({ items: [{ id: item, quantity: 2 }], proration_date: START - 1 }).toMatchObject({
    param: "proration_date",
  });
  await refused({ trial_end: START }).toMatchObject({ param: "trial_end" });
  await refused({ cancel_at: START }).toMatchObject({ param: "cancel_at" });
  await refused({ cancel_at: HALF + 3600, cancel_at_period_end: true }).toMatchObject({
    param: "cancel_at",
  });
  await refused({ default_payment_method: "pm_none" }).toMatchObject({ param: "default_payment_method" });
  await refused({ payment_behavior: "pending_if_incomplete", metadata: { a: "b" } }).toMatchObject({
    param: "metadata",
  });
  await stripe.prices.update(YEARLY, { active: false });
  await refused({ items: [{ id: item, price: YEARLY }] }).toMatchObject({ param: "items[0][price]" });
  await stripe.prices.update(YEARLY, { active: true });
});
