import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { press, startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, HALF, halfway, linesOf, START, seconds } from "../clock.fixture.ts";

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
    parent: { subscription_details: { subscription: id } },
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

test("none prorates nothing; prorations that would wait for the renewal are not part of the sandbox", async () => {
  const { stripe } = running;
  const first = await halfway(stripe, MONTHLY);
  await stripe.subscriptions.update(first.id, {
    items: [{ id: first.item, price: MORE_MONTHLY }],
    proration_behavior: "none",
  });
  expect(await first.invoices()).toHaveLength(1);
  expect((await stripe.invoices.createPreview({ subscription: first.id })).total).toBe(499);

  const waiting = { items: [{ id: first.item, quantity: 2 }] };
  await expect(stripe.subscriptions.update(first.id, waiting)).rejects.toMatchObject({
    statusCode: 501,
    message: expect.stringContaining("create_prorations"),
  });
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
  await refused({ items: [{ price: YEARLY }] }).toMatchObject({ param: "items" });
  await refused({ items: [{ id: item, quantity: -1 }] }).toMatchObject({ param: "items[0][quantity]" });
  await refused({ items: [{ id: item, quantity: 2 }], proration_date: START - 1 }).toMatchObject({
    param: "proration_date",
  });
  await refused({ trial_end: START }).toMatchObject({ param: "trial_end" });
  await refused({ cancel_at: START }).toMatchObject({ param: "cancel_at" });
  await refused({ default_payment_method: "pm_none" }).toMatchObject({ param: "default_payment_method" });
  await refused({ payment_behavior: "pending_if_incomplete", metadata: { a: "b" } }).toMatchObject({
    param: "metadata",
  });
  await stripe.prices.update(YEARLY, { active: false });
  await refused({ items: [{ id: item, price: YEARLY }] }).toMatchObject({ param: "items[0][price]" });
  await stripe.prices.update(YEARLY, { active: true });
});

test("an update that needs a payment waits for it, and is made when its invoice is paid", async () => {
  const { stripe } = running;
  const { id, item, setCard, onlySubscription, newEventTypes } = await halfway(stripe, MONTHLY);
  await setCard("pm_card_chargeCustomerFail");
  await newEventTypes(/./);
  const waiting = await stripe.subscriptions.update(id, {
    items: [{ id: item, price: MORE_MONTHLY }],
    proration_behavior: "always_invoice",
    payment_behavior: "pending_if_incomplete",
  });
  expect(waiting).toMatchObject({
    status: "active",
    items: { data: [{ price: { id: MONTHLY } }] },
    pending_update: {
      expires_at: HALF + 23 * 3600,
      subscription_items: [{ id: item, price: { id: MORE_MONTHLY } }],
    },
  });
  const invoice = await stripe.invoices.retrieve(String(waiting.latest_invoice));
  await press(invoice.hosted_invoice_url ?? "", "pay");
  expect(await onlySubscription()).toMatchObject({
    status: "active",
    pending_update: null,
    items: { data: [{ price: { id: MORE_MONTHLY } }] },
  });
  expect(await newEventTypes(/^customer.subscription/)).toEqual([
    "customer.subscription.updated",
    "customer.subscription.updated",
    "customer.subscription.pending_update_applied",
    // The page's card is the subscription's from then on.
    "customer.subscription.updated",
  ]);
});

test.each(["expires", "is voided", "is asked for again"])(
  "a pending update %s: nothing has changed",
  async (how) => {
    const { stripe } = running;
    const { id, item, setCard, onlySubscription, advance, invoices } = await halfway(stripe, MONTHLY);
    await setCard("pm_card_authenticationRequired");
    const upgrade: Stripe.SubscriptionUpdateParams = {
      items: [{ id: item, price: MORE_MONTHLY }],
      proration_behavior: "always_invoice",
      payment_behavior: "pending_if_incomplete",
    } as const;
    const { latest_invoice } = await stripe.subscriptions.update(id, upgrade);
    if (how === "expires") await advance(HALF + DAY);
    if (how === "is voided") await stripe.invoices.voidInvoice(String(latest_invoice));
    if (how === "is asked for again") {
      await setCard("pm_card_visa");
      await stripe.subscriptions.update(id, upgrade);
      expect(await onlySubscription()).toMatchObject({ items: { data: [{ price: { id: MORE_MONTHLY } }] } });
      expect((await invoices()).map(({ status, total }) => [status, total])).toEqual([
        ["paid", 100],
        ["void", 100],
        ["paid", 299],
      ]);
      return;
    }
    expect(await onlySubscription()).toMatchObject({
      status: "active",
      pending_update: null,
      items: { data: [{ price: { id: MONTHLY } }] },
    });
    expect((await invoices())[0]).toMatchObject({ status: "void" });
    const preview = await stripe.invoices.createPreview({ subscription: id });
    expect(linesOf(preview)).toEqual([[299, "1 × CSV Only (at $2.99 / month)"]]);
  },
);
