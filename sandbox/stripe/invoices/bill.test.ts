import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox } from "../stripe.fixture.ts";

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
