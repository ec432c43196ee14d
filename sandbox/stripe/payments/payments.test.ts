import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cardsOf, openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

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

test("a card is saved, can be the default one, and is shown when it is expanded", async () => {
  const { stripe } = running;
  const { id: customer } = await stripe.customers.create();
  const other = await stripe.customers.create();
  const card = await stripe.paymentMethods.attach("pm_card_mastercard", { customer });
  const invoice_settings = { default_payment_method: card.id };
  await expect(stripe.customers.update(other.id, { invoice_settings })).rejects.toMatchObject({
    code: "resource_missing",
  });
  await expect(stripe.paymentMethods.attach(card.id, { customer: other.id })).rejects.toThrow("already been");
  await stripe.customers.update(customer, { invoice_settings });
  const expanded = await stripe.customers.retrieve(customer, {
    expand: ["invoice_settings.default_payment_method"],
  });
  expect(expanded).toMatchObject({
    invoice_settings: { default_payment_method: { card: { last4: "4444" } } },
  });
  await expect(
    stripe.paymentMethods.attach("pm_card_visa_chargeDeclined", { customer }),
  ).rejects.toMatchObject({
    statusCode: 402,
    code: "card_declined",
  });
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
  const after = await stripe.charges.retrieve(charge.id, { expand: ["payment_intent"] });
  expect(after).toMatchObject({
    amount_refunded: 4999,
    refunded: true,
    payment_intent: { status: "succeeded" },
  });
  expect((await stripe.refunds.list({ payment_intent: intent })).data).toHaveLength(2);
  expect(await eventTypes()).toEqual(expect.arrayContaining(["refund.created", "charge.refunded"]));
});

test("a dispute can be opened, won and lost; what is disputed cannot be refunded", async () => {
  const { stripe } = running;
  const { charge, intent } = await buy();
  const dispute = await control({ charge: charge.id });
  expect(dispute).toMatchObject({ status: "needs_response", amount: 4999, charge: charge.id });
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ disputed: true });
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
    code: "charge_disputed",
  });
  expect(await control({ dispute: dispute.id, status: "won" })).toMatchObject({ status: "won" });

  const second = await control({ charge: (await buy()).charge.id });
  expect(await control({ dispute: second.id, status: "lost" })).toMatchObject({ status: "lost" });
  expect(await control({ dispute: second.id, status: "won" })).toMatchObject({
    error: { message: "This dispute is already closed" },
  });
  expect((await stripe.disputes.list({ payment_intent: intent })).data).toMatchObject([{ id: dispute.id }]);
  expect(await eventTypes()).toEqual(
    expect.arrayContaining(["charge.dispute.created", "charge.dispute.closed"]),
  );
});

async function control(body: object): Promise<Stripe.Dispute> {
  const url = `${running.origin}/sandbox/stripe/control/disputes`;
  return (await fetch(url, { method: "POST", body: JSON.stringify(body) })).json();
}

test("a refund to a card that was closed succeeds at first, and fails; the money can be refunded again", async () => {
  const { stripe, webhook, origin } = running;
  const { customer } = await openCheckout(stripe);
  await stripe.paymentMethods.attach("pm_card_refundFail", { customer });
  const [card] = await cardsOf(running.pool, customer);
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price: "price_csv_banking_yearly" }],
    default_payment_method: card?.id ?? "",
  });
  const [payment] = (await stripe.paymentIntents.list({ customer, expand: ["data.latest_charge"] })).data;
  expect(subscription.status).toBe("active");
  const refund = await stripe.refunds.create({ payment_intent: payment?.id ?? "" });
  expect(refund.status).toBe("succeeded");
  expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({
    status: "failed",
    failure_reason: "expired_or_canceled_card",
  });
  const [after] = (await stripe.paymentIntents.list({ customer, expand: ["data.latest_charge.refunds"] }))
    .data;
  expect(after?.latest_charge).toMatchObject({
    amount_refunded: 0,
    refunded: false,
    refunds: { data: [{ id: refund.id, status: "failed" }] },
  });
  await expect
    .poll(() => webhook.received.filter(({ type }) => type === "refund.failed"))
    .toMatchObject([{ data: { object: { id: refund.id } } }]);
  const again = await stripe.refunds.create({ payment_intent: payment?.id ?? "", amount: 1000 });
  const told = await fetch(`${origin}/sandbox/stripe/control/refunds`, {
    method: "POST",
    body: JSON.stringify({ refund: again.id }),
  });
  expect(told.status).toBe(400);
});
