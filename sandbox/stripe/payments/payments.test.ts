import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

async function createCustomer(fields: Stripe.CustomerCreateParams = {}) {
  return running.stripe.customers.create({ email: "ada@example.com", ...fields });
}

function createCard(number: string, exp_year = 2034) {
  return running.stripe.paymentMethods.create({
    type: "card",
    card: { number, exp_month: 12, exp_year, cvc: "123" },
  });
}

/** The payment of a subscription that has just been bought. */
async function buy() {
  const { stripe } = running;
  const { customer, url } = await openCheckout(stripe);
  await press(url, "pay");
  const { data } = await stripe.charges.list({ customer });
  const [charge] = data;
  if (!charge) throw new Error("Paying left no charge");
  return { customer, charge, intent: String(charge.payment_intent) };
}

async function eventTypes(): Promise<string[]> {
  const { data } = await running.stripe.events.list({ limit: 100 });
  return data.map(({ type }) => type);
}

test.each([
  ["4242424242424242", "visa", "credit", "4242"],
  ["5200 8282 8282 8210", "mastercard", "debit", "8210"],
  ["378282246310005", "amex", "credit", "0005"],
])("%s is a %s %s card", async (number, brand, funding, last4) => {
  expect(await createCard(number)).toMatchObject({
    customer: null,
    card: { brand, funding, last4, exp_year: 2034 },
  });
});

test.each([
  ["4242424242424241", 2034, "incorrect_number"],
  ["4111111111111111", 2034, "card_declined"],
  ["4242424242424242", 2020, "invalid_expiry_year"],
])("%s until %i is refused: %s", async (number, year, code) => {
  await expect(createCard(number, year)).rejects.toMatchObject({
    statusCode: 402,
    type: "StripeCardError",
    code,
  });
});

test.each([
  ["4000000000000002", "card_declined", "generic_decline"],
  ["4000000000009995", "card_declined", "insufficient_funds"],
  ["4000000000000069", "expired_card", "expired_card"],
])("%s cannot be saved: %s", async (number, code, decline_code) => {
  const { stripe } = running;
  const { id: customer } = await createCustomer();
  const { id } = await createCard(number);
  await expect(stripe.paymentMethods.attach(id, { customer })).rejects.toMatchObject({ code, decline_code });
  expect((await stripe.paymentMethods.list({ customer })).data).toEqual([]);
});

test("a saved card can be the default one, is listed, changed and taken off again", async () => {
  const { stripe } = running;
  const { id: customer } = await createCustomer();
  const card = await stripe.paymentMethods.attach("pm_card_mastercard", { customer });
  await expect(
    stripe.customers.update(customer, {
      invoice_settings: { default_payment_method: (await createCard("4242424242424242")).id },
    }),
  ).rejects.toMatchObject({ code: "resource_missing" });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } });
  const expanded = await stripe.customers.retrieve(customer, {
    expand: ["invoice_settings.default_payment_method"],
  });
  expect(expanded).toMatchObject({
    invoice_settings: { default_payment_method: { card: { last4: "4444" } } },
  });

  const billing_details = { address: { line1: "1 Main St", country: "US" } };
  await stripe.paymentMethods.update(card.id, { card: { exp_month: 1, exp_year: 2040 }, billing_details });
  expect((await stripe.customers.listPaymentMethods(customer)).data).toMatchObject([
    {
      id: card.id,
      card: { exp_month: 1, exp_year: 2040 },
      billing_details: { address: { line1: "1 Main St" } },
    },
  ]);

  expect(await stripe.paymentMethods.detach(card.id)).toMatchObject({ customer: null });
  expect(await stripe.customers.retrieve(customer)).toMatchObject({
    invoice_settings: { default_payment_method: null },
  });
  expect(await eventTypes()).toEqual(
    expect.arrayContaining(["payment_method.attached", "payment_method.updated", "payment_method.detached"]),
  );
});

test("a customer can be created with a card, an address and a balance", async () => {
  const { stripe } = running;
  const customer = await createCustomer({
    payment_method: "pm_card_visa",
    invoice_settings: { default_payment_method: "pm_card_visa" },
    address: { line1: "1 Main St", city: "Springfield", country: "US" },
    balance: -500,
    phone: "+15551234",
  });
  expect(customer).toMatchObject({
    balance: -500,
    phone: "+15551234",
    address: { line1: "1 Main St", line2: null },
    invoice_settings: { default_payment_method: expect.stringMatching(/^pm_/) },
  });
  expect((await stripe.paymentMethods.list({ customer: customer.id, type: "card" })).data).toHaveLength(1);
});

test("a payment is refunded in parts, never twice and never more than was paid", async () => {
  const { stripe } = running;
  const { charge, intent } = await buy();
  const first = await stripe.refunds.create({
    payment_intent: intent,
    amount: 1000,
    reason: "requested_by_customer",
    metadata: { why: "promise" },
  });
  expect(first).toMatchObject({
    amount: 1000,
    status: "succeeded",
    charge: charge.id,
    metadata: { why: "promise" },
  });
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ amount_refunded: 1000, refunded: false });
  await expect(stripe.refunds.create({ charge: charge.id, amount: 4000 })).rejects.toMatchObject({
    statusCode: 400,
    message: "Refund amount ($40.00) is greater than unrefunded amount on charge ($39.99)",
  });
  const answers = await Promise.allSettled([
    stripe.refunds.create({ charge: charge.id }),
    stripe.refunds.create({ payment_intent: intent }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
    code: "charge_already_refunded",
  });
  const after = await stripe.charges.retrieve(charge.id, { expand: ["refunds", "payment_intent"] });
  expect(after).toMatchObject({
    amount_refunded: 4999,
    refunded: true,
    payment_intent: { status: "succeeded" },
  });
  expect(after.refunds?.data.map(({ amount }) => amount)).toEqual([3999, 1000]);
  expect((await stripe.refunds.list({ payment_intent: intent })).data).toHaveLength(2);
  expect(await eventTypes()).toEqual(
    expect.arrayContaining(["refund.created", "charge.refunded", "refund.updated"]),
  );
});

test("a dispute can be opened, won, lost and given up; what is disputed cannot be refunded", async () => {
  const { stripe } = running;
  const { charge, intent } = await buy();
  const dispute = await control({ payment_intent: intent, reason: "product_not_received" });
  expect(dispute).toMatchObject({ status: "needs_response", amount: 4999, charge: charge.id });
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ disputed: true });
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
    code: "charge_disputed",
  });
  expect(await control({ dispute: dispute.id, status: "won" })).toMatchObject({ status: "won" });

  const second = await control({ charge: (await buy()).charge.id });
  const evidence = { uncategorized_text: "losing_evidence" };
  expect(await stripe.disputes.update(second.id, { evidence })).toMatchObject({ status: "lost" });
  await expect(stripe.disputes.close(second.id)).rejects.toThrow("already closed");

  const third = await buy();
  const { id } = await control({ charge: third.charge.id });
  expect(await stripe.disputes.close(id)).toMatchObject({ status: "lost" });
  expect((await stripe.disputes.list({ charge: third.charge.id })).data).toMatchObject([
    { id, reason: "fraudulent" },
  ]);
  expect(await eventTypes()).toEqual(
    expect.arrayContaining(["charge.dispute.created", "charge.dispute.closed"]),
  );
});

async function control(body: object): Promise<Stripe.Dispute> {
  const url = `${running.origin}/sandbox/stripe/control/disputes`;
  return (await fetch(url, { method: "POST", body: JSON.stringify(body) })).json();
}

test("a payment is made, declined or waits for the cardholder", async () => {
  const { stripe } = running;
  const { id: customer } = await createCustomer();
  const pay = (payment_method: string) =>
    stripe.paymentIntents.create({ amount: 700, currency: "usd", customer, payment_method, confirm: true });
  expect(await pay("pm_card_visa")).toMatchObject({ status: "succeeded", amount_received: 700 });
  expect(await pay("pm_card_authenticationRequired")).toMatchObject({
    status: "requires_action",
    next_action: { redirect_to_url: { url: expect.stringContaining("/sandbox/stripe/authenticate/pi_") } },
  });
  await expect(pay("pm_card_chargeDeclinedInsufficientFunds")).rejects.toMatchObject({
    statusCode: 402,
    code: "card_declined",
    decline_code: "insufficient_funds",
    payment_intent: { status: "requires_payment_method", last_payment_error: { code: "card_declined" } },
  });
  const [declined, waiting] = (await stripe.paymentIntents.list({ customer })).data;
  expect([declined?.status, waiting?.status]).toEqual(["requires_payment_method", "requires_action"]);
  const confirmed = await stripe.paymentIntents.confirm(declined?.id ?? "", {
    payment_method: "pm_card_visa",
  });
  expect(confirmed).toMatchObject({ status: "succeeded", last_payment_error: null });
  const charges = await stripe.charges.list({ payment_intent: confirmed.id });
  expect(charges.data.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
  await expect(stripe.paymentIntents.confirm(confirmed.id)).rejects.toMatchObject({
    code: "payment_intent_unexpected_state",
  });
});

test("a card is set up for later, or refused", async () => {
  const { stripe } = running;
  const { id: customer } = await createCustomer();
  const setUp = (payment_method: string) =>
    stripe.setupIntents.create({ customer, payment_method, confirm: true });
  const done = await setUp("pm_card_visa");
  expect(done).toMatchObject({ status: "succeeded" });
  expect((await stripe.paymentMethods.list({ customer })).data).toMatchObject([{ id: done.payment_method }]);
  expect(await setUp("pm_card_authenticationRequiredOnSetup")).toMatchObject({ status: "requires_action" });
  await expect(setUp("pm_card_chargeDeclined")).rejects.toMatchObject({
    code: "card_declined",
    setup_intent: { status: "requires_payment_method" },
  });
});
