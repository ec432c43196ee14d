import { setKnobs } from "@ownwords/sandbox/testing";
import type Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { endPayments } from "../end-payments.server.ts";
import { applyPlanChange } from "./apply-plan-change.server.ts";
import { askForPlan } from "./ask.server.ts";
import { openPlans } from "./plan.fixture.ts";
import { readPlanOverview } from "./plan-overview.server.ts";

let plans: Awaited<ReturnType<typeof openPlans>>;
type Buyer = Awaited<ReturnType<typeof plans.openCustomer>>;

beforeAll(async () => {
  plans = await openPlans();
});
beforeEach(() => setKnobs(plans.sandbox, { reset: true }));
afterAll(() => plans.close());

const refund = (buyer: Buyer) => askForPlan(plans.appWith(), buyer.userId, { kind: "refund" });
const overview = (buyer: Buyer) => readPlanOverview(plans.appWith(), buyer.userId);
const statusAtStripe = async ({ subscription }: Buyer) =>
  (await plans.stripe.subscriptions.retrieve(subscription)).status;

async function refundedOf(buyer: Buyer) {
  const { data } = await plans.stripe.charges.list({ customer: buyer.customer });
  return data.map(({ amount_refunded }) => amount_refunded).toSorted((one, other) => one - other);
}

async function payWith(buyer: Buyer, card: string) {
  const { id } = await plans.stripe.paymentMethods.attach(card, { customer: buyer.customer });
  await plans.stripe.subscriptions.update(buyer.subscription, { default_payment_method: id });
}

test("a payment whose bank has taken it back stops neither the others nor the end", async () => {
  const buyer = await plans.openCustomer("price_csv_only_yearly");
  await payWith(buyer, "pm_card_createDispute");
  await askForPlan(plans.appWith(), buyer.userId, {
    kind: "change",
    priceId: "price_csv_banking_yearly",
    prorationDate: new Date(),
  });
  await buyer.sync();
  expect((await overview(buyer))?.refundable, "the larger payment is not promised").toMatchObject({
    total: 2999,
  });
  expect(await refund(buyer)).toEqual({ ok: true });
  expect(await statusAtStripe(buyer)).toBe("canceled");
  expect(await refundedOf(buyer)).toEqual([0, 2999]);
  expect(await overview(buyer)).toMatchObject({ applying: null, status: "canceled" });
});

test("a refund that Stripe refuses for now is tried again, and nothing more is charged meanwhile", async () => {
  const buyer = await plans.openCustomer();
  await setKnobs(plans.sandbox, { errors: 1, endpoints: "POST /v1/refunds" });
  expect(await refund(buyer)).toEqual({ ok: true });
  expect(await statusAtStripe(buyer)).toBe("canceled");
  await setKnobs(plans.sandbox, { reset: true });
  await applyPlanChange(plans.stripe, plans.appWith(), buyer.subscription);
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("a change that is charged while its plan is being refunded is paid back, too", async () => {
  const buyer = await plans.openCustomer("price_csv_only_yearly");
  const { items } = await plans.stripe.subscriptions.retrieve(buyer.subscription);
  const changeBefore = async (id: string, params?: Stripe.SubscriptionCancelParams) => {
    await plans.stripe.subscriptions.update(buyer.subscription, {
      items: [{ id: items.data[0]?.id ?? "", price: "price_csv_banking_yearly" }],
      proration_behavior: "always_invoice",
    });
    return plans.stripe.subscriptions.cancel(id, params);
  };
  const subscriptions = new Proxy(plans.stripe.subscriptions, {
    get: (target, key) => (key === "cancel" ? changeBefore : Reflect.get(target, key)),
  });
  const client: Stripe = new Proxy(plans.stripe, {
    get: (target, key) => (key === "subscriptions" ? subscriptions : Reflect.get(target, key)),
  });
  expect(await askForPlan(plans.appWith(client), buyer.userId, { kind: "refund" })).toEqual({ ok: true });
  const { data } = await plans.stripe.charges.list({ customer: buyer.customer });
  expect(data).toHaveLength(2);
  for (const { amount, amount_refunded } of data) expect(amount_refunded).toBe(amount);
});

test("one press is told in one mail, however many payments it refunds", async () => {
  const buyer = await plans.openCustomer("price_csv_only_yearly");
  await askForPlan(plans.appWith(), buyer.userId, {
    kind: "change",
    priceId: "price_csv_banking_yearly",
    prorationDate: new Date(),
  });
  await refund(buyer);
  await Promise.all([buyer.sync(), buyer.sync()]);
  const { rows } = await plans.database.pool.query(
    `SELECT payload->>'subject' AS subject, payload->>'text' AS text FROM outbox
     WHERE kind = 'send_mail' AND payload->>'to' = $1 AND payload->>'subject' LIKE 'We refunded%'`,
    [`${buyer.userId}@example.com`],
  );
  expect(rows).toEqual([
    {
      subject: "We refunded $49.99",
      text: expect.stringMatching(/your 2 payments.*CSV \+ Banking\s+has ended/s),
    },
  ]);
});

test("an account is deleted once its refund is paid", async () => {
  const buyer = await plans.openCustomer();
  await setKnobs(plans.sandbox, { api: "down" });
  expect(await refund(buyer)).toEqual({ ok: true });
  expect(await endPayments(plans.appWith(), buyer.userId, buyer.subscription)).toBe("payments_away");
  await setKnobs(plans.sandbox, { reset: true });
  expect(await endPayments(plans.appWith(), buyer.userId, buyer.subscription)).toBe("ended");
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("each payment is refunded by the promise of the plan that it was for", async () => {
  const buyer = await plans.openCustomer();
  // What the larger plan was paid for opened long ago, and what the smaller one is for did not.
  await plans.database.pool.query("INSERT INTO features VALUES ('banking_api', now() - interval '60 days')");
  await plans.database.pool.query(
    "UPDATE stripe_invoices SET paid_at = paid_at - interval '20 days' WHERE user_id = $1",
    [buyer.userId],
  );
  expect((await overview(buyer))?.refundable).toBeNull();
  const { items } = await plans.stripe.subscriptions.retrieve(buyer.subscription);
  await plans.stripe.subscriptions.update(buyer.subscription, {
    items: [{ id: items.data[0]?.id ?? "", price: "price_csv_only_yearly" }],
    proration_behavior: "none",
  });
  await buyer.sync();
  await plans.database.pool.query(
    "UPDATE stripe_invoices SET paid_at = paid_at - interval '20 days' WHERE user_id = $1",
    [buyer.userId],
  );
  expect(await overview(buyer)).toMatchObject({ tier: "basic", refundable: null });
});
