import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock } from "../clocks/clock.fixture.ts";
import { inTransaction } from "../transaction.ts";
import { collectInvoice, draftInvoice } from "./bill.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("a paid checkout leaves an invoice with its payment, charge and card", async () => {
  const { stripe, origin } = running;
  const { customer, url } = await openCheckout(stripe);
  await press(url, "pay");
  const [subscription] = (
    await stripe.subscriptions.list({
      customer,
      expand: [
        "data.latest_invoice.payments.data.payment.payment_intent.latest_charge",
        "data.default_payment_method",
      ],
    })
  ).data;
  expect(subscription).toMatchObject({
    status: "active",
    default_payment_method: { card: { brand: "visa", last4: "4242" }, customer },
    latest_invoice: {
      status: "paid",
      amount_due: 4999,
      amount_paid: 4999,
      amount_remaining: 0,
      billing_reason: "subscription_create",
      customer_email: "ada@example.com",
      number: expect.stringMatching(/^[0-9A-F]{8}-0001$/),
      hosted_invoice_url: expect.stringContaining(`${origin}/sandbox/stripe/invoice/in_`),
      lines: { data: [{ amount: 4999, description: "1 × CSV + Banking (at $49.99 / year)" }] },
      payments: {
        data: [
          {
            status: "paid",
            amount_paid: 4999,
            payment: { payment_intent: { status: "succeeded", latest_charge: { paid: true, amount: 4999 } } },
          },
        ],
      },
    },
  });
  const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining([
      "payment_method.attached",
      "invoice.created",
      "customer.subscription.created",
      "invoice.finalized",
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.succeeded",
      "invoice.paid",
      "invoice.payment_succeeded",
      "checkout.session.completed",
    ]),
  );
});

test("an invoice that is paid many times at once is charged once", async () => {
  const { stripe } = running;
  const on = await customerOnClock(stripe, "pm_card_chargeCustomerFail");
  await on.subscribe("price_csv_banking_monthly");
  const [invoice] = await on.invoices();
  expect(invoice).toMatchObject({ status: "open", amount_remaining: 499 });
  const url = invoice?.hosted_invoice_url ?? "";
  await Promise.all(Array.from({ length: 5 }, () => press(url, "pay")));
  const { data } = await stripe.charges.list({ customer: on.customer.id });
  expect(data.filter(({ paid }) => paid)).toMatchObject([{ amount: 499 }]);
  expect(await on.onlySubscription()).toMatchObject({ status: "active" });
});

test("what an invoice owes the customer is theirs for the next one", async () => {
  const { stripe, options } = running;
  const { id: customer } = await stripe.customers.create();
  const [price] = (await stripe.prices.list({ lookup_keys: ["csv_only_monthly"] })).data;
  if (!price) throw new Error("There is no such plan");
  const invoice = await inTransaction(options, null, async (tx) => {
    const line = { price, quantity: 1, period: { start: tx.now, end: tx.now }, subscription_item: null };
    const { id } = await draftInvoice(tx, {
      customer,
      subscription: null,
      billing_reason: "manual",
      lines: [
        { ...line, amount: -1000, description: "Unused time", proration: true },
        { ...line, amount: 299, description: "Remaining time", proration: true },
      ],
    });
    expect(await collectInvoice(tx, id)).toBe("paid");
    return id;
  });
  expect(await stripe.invoices.retrieve(invoice, { expand: ["payments"] })).toMatchObject({
    status: "paid",
    total: -701,
    amount_due: 0,
    amount_paid: 0,
    ending_balance: -701,
    payments: { data: [] },
  });
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -701 });
});
