import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { press, startTestSandbox } from "../../testing/stripe.ts";
import { discountAmounts } from "./discounts.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

async function openCheckout(fields: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  const { stripe } = running;
  const customer = await stripe.customers.create({ email: "ada@example.com" });
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    line_items: [{ price: "price_csv_banking_monthly", quantity: 1 }],
    success_url: "http://shop.example/",
    ...fields,
  });
  return { ...session, customer: customer.id, url: session.url ?? "" };
}

async function invoicesOf(customer: string) {
  const { data } = await running.stripe.invoices.list({ customer });
  return data.map(({ subtotal, total }) => [subtotal, total]);
}

const coupon = (terms: Partial<Stripe.Coupon>) =>
  ({ coupon: { amount_off: null, percent_off: null, currency: "usd", ...terms } }) as {
    coupon: Stripe.Coupon;
  };

test.each([
  [[1000], [coupon({ percent_off: 25 })], [[250]]],
  [[1000, 500], [coupon({ amount_off: 300 })], [[200], [100]]],
  [[1000], [coupon({ amount_off: 5000 })], [[1000]]],
  [[1000], [coupon({ amount_off: 500, currency: "eur" })], [[0]]],
  [[1000], [coupon({ percent_off: 50 }), coupon({ percent_off: 50 })], [[500, 250]]],
  [[1, 1, 1], [coupon({ amount_off: 2 })], [[1], [1], [0]]],
  [[1000, 500], [coupon({ percent_off: 10, applies_to: { products: ["p1"] } })], [[0], [50]]],
])("of %j the discounts take %#", (amounts, discounts, expected) => {
  const lines = amounts.map((amount, at) => ({ amount, product: `p${at}`, discountable: true }));
  expect(discountAmounts(lines, discounts, "usd")).toEqual(expected);
});

test("a coupon is created, changed, listed and deleted; its terms have to make sense", async () => {
  const { stripe } = running;
  const created = await stripe.coupons.create({ id: "LAUNCH", percent_off: 12.5, name: "Launch" });
  expect(created).toMatchObject({ id: "LAUNCH", percent_off: 12.5, duration: "once", valid: true });
  expect(await stripe.coupons.update("LAUNCH", { name: "Start" })).toMatchObject({ name: "Start" });
  expect((await stripe.coupons.list()).data).toMatchObject([{ id: "LAUNCH" }]);
  await expect(stripe.coupons.create({ id: "LAUNCH", percent_off: 1 })).rejects.toMatchObject({
    code: "resource_already_exists",
  });
  for (const wrong of [
    {},
    { percent_off: 1, amount_off: 1, currency: "usd" },
    { amount_off: 1 },
    { percent_off: 101 },
  ]) {
    await expect(stripe.coupons.create(wrong)).rejects.toMatchObject({ statusCode: 400 });
  }
  await expect(stripe.coupons.create({ percent_off: 1, duration: "repeating" })).rejects.toMatchObject({
    param: "duration_in_months",
  });
  expect(await stripe.coupons.del("LAUNCH")).toEqual({ id: "LAUNCH", object: "coupon", deleted: true });
  await expect(stripe.coupons.retrieve("LAUNCH")).rejects.toMatchObject({ statusCode: 404 });
});

test("a code typed on the checkout page lowers what is paid, once", async () => {
  const { stripe } = running;
  await stripe.coupons.create({ id: "HALF", percent_off: 50, name: "Half price" });
  const promotion = { type: "coupon", coupon: "HALF" } as const;
  const code = await stripe.promotionCodes.create({ promotion, code: "FRIENDS", max_redemptions: 1 });
  await expect(stripe.promotionCodes.create({ promotion, code: "FRIENDS" })).rejects.toMatchObject({
    param: "code",
  });
  const { url, id, customer } = await openCheckout({ allow_promotion_codes: true });
  const wrong = await press(url, "promotion", { code: "ENEMIES" });
  expect(wrong.status).toBe(422);
  expect(await wrong.text()).toContain("This code is invalid.");

  expect((await press(url, "promotion", { code: "friends" })).status).toBe(303);
  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({
    amount_subtotal: 499,
    amount_total: 249,
    discounts: [{ coupon: "HALF", promotion_code: code.id }],
    total_details: { amount_discount: 250 },
  });
  const page = await (await fetch(url)).text();
  expect(page).toContain("Half price, 50% off once");
  expect(page).toContain("Pay $2.49");
  await press(url, "remove-promotion");
  expect(await (await fetch(url)).text()).toContain("Pay $4.99");

  await press(url, "promotion", { code: "FRIENDS" });
  await press(url, "pay");
  expect(await invoicesOf(customer)).toEqual([[499, 249]]);
  expect(await stripe.coupons.retrieve("HALF")).toMatchObject({ times_redeemed: 1 });
  // Good for one invoice, so it is over now.
  expect((await stripe.subscriptions.list({ customer })).data).toMatchObject([{ discounts: [] }]);

  const second = await openCheckout({ allow_promotion_codes: true });
  const usedUp = await press(second.url, "promotion", { code: "FRIENDS" });
  expect(await usedUp.text()).toContain("This promotion code is no longer valid.");
});

test("a discount that the seller gives stays as long as its coupon says", async () => {
  const { stripe } = running;
  const { id: code } = await stripe.promotionCodes.create({
    promotion: {
      type: "coupon",
      coupon: (
        await stripe.coupons.create({
          amount_off: 100,
          currency: "usd",
          duration: "repeating",
          duration_in_months: 3,
        })
      ).id,
    },
  });
  const { url, customer } = await openCheckout({ discounts: [{ promotion_code: code }] });
  await press(url, "pay");
  const [subscription] = (
    await stripe.subscriptions.list({ customer, expand: ["data.discounts.source.coupon"] })
  ).data;
  const [discount] = (subscription?.discounts ?? []) as Stripe.Discount[];
  expect(discount).toMatchObject({ promotion_code: code, source: { coupon: { amount_off: 100 } } });
  const months = ((discount?.end ?? 0) - (discount?.start ?? 0)) / (24 * 60 * 60);
  expect(Math.round(months)).toBeGreaterThanOrEqual(89);
  expect(await invoicesOf(customer)).toEqual([[499, 399]]);

  await stripe.subscriptions.deleteDiscount(subscription?.id ?? "");
  expect(await stripe.subscriptions.retrieve(subscription?.id ?? "")).toMatchObject({ discounts: [] });
  await expect(openCheckout({ discounts: [{ coupon: "NONE" }] })).rejects.toMatchObject({
    code: "resource_missing",
    param: "discounts[0][coupon]",
  });
});

test("credit pays the next invoice, and the card what is left", async () => {
  const { stripe } = running;
  const { id: customer } = await stripe.customers.create({ balance: -500 });
  const credit = { amount: -100, currency: "usd" };
  expect(await stripe.customers.createBalanceTransaction(customer, credit)).toMatchObject({
    type: "adjustment",
    ending_balance: -600,
  });
  await stripe.paymentMethods
    .attach("pm_card_visa", { customer })
    .then(({ id }) =>
      stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } }),
    );
  const items = [{ price: "price_csv_banking_monthly" }];
  const first = await stripe.subscriptions.create({ customer, items, expand: ["latest_invoice"] });
  expect(first).toMatchObject({
    status: "active",
    latest_invoice: {
      status: "paid",
      total: 499,
      amount_due: 0,
      starting_balance: -600,
      ending_balance: -101,
    },
  });
  const second = await stripe.subscriptions.create({ customer, items, expand: ["latest_invoice.payments"] });
  expect(second.latest_invoice).toMatchObject({
    amount_due: 398,
    amount_paid: 398,
    ending_balance: 0,
    payments: { data: [{ amount_paid: 398 }] },
  });
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: 0 });
  expect((await stripe.charges.list({ customer })).data).toMatchObject([{ amount: 398 }]);
  const { data } = await stripe.customers.listBalanceTransactions(customer);
  expect(data.map(({ amount, type }) => [amount, type])).toEqual([
    [101, "applied_to_invoice"],
    [499, "applied_to_invoice"],
    [-100, "adjustment"],
    [-500, "adjustment"],
  ]);
});
