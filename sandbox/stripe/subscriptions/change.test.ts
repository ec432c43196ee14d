import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START, seconds } from "../clocks/clock.fixture.ts";
import { HALF, halfway, linesOf } from "./halfway.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const [MONTHLY, YEARLY] = ["price_csv_only_monthly", "price_csv_only_yearly"];
const [MORE_MONTHLY, MORE_YEARLY] = ["price_csv_banking_monthly", "price_csv_banking_yearly"];

test("an upgrade is invoiced at once, for exactly what the preview said", async () => {
  const { stripe } = running;
  const { id, item, advance, onlySubscription } = await halfway(stripe, MONTHLY);
  const change = {
    items: [{ id: item, price: MORE_MONTHLY }],
    proration_behavior: "always_invoice" as const,
    proration_date: HALF,
  };
  const preview = await stripe.invoices.createPreview({
    subscription: id,
    subscription_details: change,
  });
  expect(linesOf(preview)).toEqual([
    [-150, "Unused time on CSV Only after 14 Feb 2026"],
    [250, "Remaining time on CSV + Banking after 14 Feb 2026"],
  ]);
  expect(preview).toMatchObject({
    amount_due: 100,
    billing_reason: "upcoming",
    id: expect.stringMatching(/^upcoming_in_/),
  });

  // The review page stays open for an hour.
  await advance(HALF + 3600);
  const { latest_invoice } = await stripe.subscriptions.update(id, {
    ...change,
    payment_behavior: "pending_if_incomplete",
  });
  const invoice = await stripe.invoices.retrieve(String(latest_invoice));
  expect(linesOf(invoice)).toEqual(linesOf(preview));
  expect(invoice).toMatchObject({
    status: "paid",
    amount_paid: 100,
    billing_reason: "subscription_update",
    created: HALF + 3600,
    parent: { subscription_details: { subscription: id, subscription_proration_date: HALF } },
  });
  expect(invoice.lines.data.map(({ period }) => period)).toEqual([
    { start: HALF, end: START + 28 * DAY },
    { start: HALF, end: START + 28 * DAY },
  ]);
  expect(await onlySubscription()).toMatchObject({
    status: "active",
    pending_update: null,
    items: { data: [{ id: item, price: { id: MORE_MONTHLY }, current_period_end: START + 28 * DAY }] },
  });
});

test.each([
  [MONTHLY, MORE_MONTHLY],
  [MONTHLY, YEARLY],
  [MONTHLY, MORE_YEARLY],
  [YEARLY, MORE_YEARLY],
  [MORE_YEARLY, MONTHLY],
])("from %s to %s: the update invoices what the preview of the same second said", async (from, to) => {
  const { stripe } = running;
  for (const seconds of [0, 1, 86_399, 1_000_003]) {
    const on = await customerOnClock(stripe);
    const { id, items } = await on.subscribe(from);
    await on.advance(START + 3 * DAY + seconds);
    const proration_date = START + 2 * DAY + seconds;
    const change = {
      items: [{ id: String(items.data[0]?.id), price: to }],
      proration_behavior: "always_invoice" as const,
      proration_date,
    };
    const preview = await stripe.invoices.createPreview({ subscription: id, subscription_details: change });
    const { latest_invoice } = await stripe.subscriptions.update(id, change);
    const invoice = await stripe.invoices.retrieve(String(latest_invoice));
    expect([linesOf(invoice), invoice.total, invoice.amount_due]).toEqual([
      linesOf(preview),
      preview.total,
      preview.amount_due,
    ]);
  }
});

test("another interval starts a new period now, with the unused time taken off", async () => {
  const { stripe } = running;
  const { id, item, onlySubscription, advance, invoices } = await halfway(stripe, MONTHLY);
  const updated = await stripe.subscriptions.update(id, { items: [{ id: item, price: YEARLY }] });
  expect(updated).toMatchObject({
    billing_cycle_anchor: HALF,
    items: { data: [{ current_period_start: HALF, current_period_end: seconds("2027-02-14T12:00:00Z") }] },
  });
  const invoice = await stripe.invoices.retrieve(String(updated.latest_invoice));
  expect(linesOf(invoice)).toEqual([
    [-150, "Unused time on CSV Only after 14 Feb 2026"],
    [2999, "1 × CSV Only (at $29.99 / year)"],
  ]);
  expect(invoice).toMatchObject({ status: "paid", total: 2849 });
  await advance(seconds("2027-02-15T00:00:00Z"));
  expect((await invoices())[0]).toMatchObject({ billing_reason: "subscription_cycle", total: 2999 });
  expect(await onlySubscription()).toMatchObject({ status: "active" });
});

test("none prorates nothing; create_prorations waits for the renewal, which the preview shows", async () => {
  const { stripe } = running;
  const first = await halfway(stripe, MONTHLY);
  await stripe.subscriptions.update(first.id, {
    items: [{ id: first.item, price: MORE_MONTHLY }],
    proration_behavior: "none",
  });
  expect(await first.invoices()).toHaveLength(1);
  expect((await stripe.invoices.createPreview({ subscription: first.id })).total).toBe(499);

  const second = await halfway(stripe, MONTHLY);
  await stripe.subscriptions.update(second.id, { items: [{ id: second.item, price: MORE_MONTHLY }] });
  expect(await second.invoices()).toHaveLength(1);
  const preview = await stripe.invoices.createPreview({ subscription: second.id });
  expect(linesOf(preview)).toEqual([
    [-150, "Unused time on CSV Only after 14 Feb 2026"],
    [250, "Remaining time on CSV + Banking after 14 Feb 2026"],
    [499, "1 × CSV + Banking (at $4.99 / month)"],
  ]);
  await second.advance(START + 29 * DAY);
  const [renewal] = await second.invoices();
  expect(renewal && linesOf(renewal)).toEqual(linesOf(preview));
  expect(renewal?.created).toBe(preview.created);
  await second.advance(START + 60 * DAY);
  expect((await second.invoices())[0]).toMatchObject({ total: 499 });
});

test("a second change credits what the first one billed", async () => {
  const { stripe } = running;
  const { id, item, advance } = await halfway(stripe, MONTHLY);
  const upgrade = (price: string, quantity: number) =>
    stripe.subscriptions.update(id, {
      items: [{ id: item, price, quantity }],
      proration_behavior: "always_invoice",
    });
  await upgrade(MORE_MONTHLY, 1);
  await advance(START + 21 * DAY);
  const { latest_invoice } = await upgrade(MORE_MONTHLY, 2);
  expect(linesOf(await stripe.invoices.retrieve(String(latest_invoice)))).toEqual([
    [-125, "Unused time on CSV + Banking after 21 Feb 2026"],
    [250, "Remaining time on 2 × CSV + Banking after 21 Feb 2026"],
  ]);
});

test("a discount is taken off what is charged, and off what is credited", async () => {
  const { stripe } = running;
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: "forever" });
  const on = await customerOnClock(stripe);
  const { id, items } = await on.subscribe(MORE_MONTHLY);
  await stripe.subscriptions.update(id, { discounts: [{ coupon: coupon.id }] });
  await on.advance(START + 28 * DAY);
  expect((await on.invoices())[0]).toMatchObject({ total: 249 });
  await on.advance(START + 28 * DAY + (31 * DAY) / 2);
  const preview = await stripe.invoices.createPreview({
    subscription: id,
    subscription_details: {
      items: [{ id: String(items.data[0]?.id), price: MORE_MONTHLY, quantity: 3 }],
      proration_behavior: "always_invoice",
    },
  });
  // Half of 249 and of half of 1497, for half of the period.
  expect(preview.lines.data.map(({ amount }) => amount)).toEqual([-125, 374]);
});

test("a downgrade at once leaves credit, which the next invoice uses", async () => {
  const { stripe } = running;
  const { id, item, customer, advance, invoices } = await halfway(stripe, MORE_MONTHLY);
  await stripe.subscriptions.update(id, {
    items: [{ id: item, price: MONTHLY }],
    proration_behavior: "always_invoice",
  });
  expect((await invoices())[0]).toMatchObject({ total: -100, amount_due: 0, status: "paid" });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -100 });
  await advance(START + 29 * DAY);
  expect((await invoices())[0]).toMatchObject({ total: 299, amount_due: 199, amount_paid: 199 });
});

test("a subscription that ends has no next invoice", async () => {
  const { stripe } = running;
  const { id } = await halfway(stripe, MONTHLY);
  expect((await stripe.invoices.createPreview({ subscription: id })).total).toBe(299);
  await stripe.subscriptions.update(id, { cancel_at_period_end: true });
  await expect(stripe.invoices.createPreview({ subscription: id })).rejects.toMatchObject({
    statusCode: 404,
    code: "invoice_upcoming_none",
  });
});
