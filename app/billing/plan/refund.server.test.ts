import type Stripe from "stripe";
import { beforeEach, expect, test } from "vitest";
import { setupBilling, stripeWith } from "../billing.fixture.ts";
import { deletePaymentRecords, endPayments } from "../end-payments.server.ts";
import { subscribe } from "../sync/life.fixture.ts";
import { enqueueOverdueSyncs } from "../sync/overdue.server.ts";
import { applyPlanChange, requestPlanChange } from "./apply-plan-change.server.ts";
import { readPlanOverview } from "./plan-overview.server.ts";

const { billing, appWith, openCustomer, setStripe } = setupBilling();
type Buyer = Awaited<ReturnType<typeof openCustomer>>;

beforeEach(() => setStripe({ reset: true }));

const refund = (buyer: Buyer) => ask(buyer, "refund");
const overview = (buyer: Buyer) => readPlanOverview(appWith(), buyer.userId);
const statusAtStripe = async ({ subscription }: Buyer) =>
  (await billing.stripe.subscriptions.retrieve(subscription)).status;

const refundedOf = async (buyer: Buyer) => (await chargesOf(buyer)).map((charge) => charge.amount_refunded);

async function payWith(buyer: Buyer, card: string) {
  const { id } = await billing.stripe.paymentMethods.attach(card, { customer: buyer.customer });
  await billing.stripe.subscriptions.update(buyer.subscription, { default_payment_method: id });
}

test("a payment whose bank has taken it back stops neither the others nor the end", async () => {
  const buyer = await openCustomer("price_csv_only_yearly");
  await payWith(buyer, "pm_card_createDispute");
  await requestPlanChange(appWith(), buyer.userId, {
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
  const buyer = await openCustomer();
  await setStripe({ errors: 1, endpoints: "POST /v1/refunds" });
  expect(await refund(buyer)).toEqual({ ok: true });
  expect(await statusAtStripe(buyer)).toBe("canceled");
  await setStripe({ reset: true });
  await applyPlanChange(appWith(), buyer.subscription);
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("a change that is charged while its plan is being refunded is paid back, too", async () => {
  const buyer = await openCustomer("price_csv_only_yearly");
  const { items } = await billing.stripe.subscriptions.retrieve(buyer.subscription);
  const changeBefore = async (id: string, params?: Stripe.SubscriptionCancelParams) => {
    await billing.stripe.subscriptions.update(buyer.subscription, {
      items: [{ id: items.data[0]?.id ?? "", price: "price_csv_banking_yearly" }],
      proration_behavior: "always_invoice",
    });
    return billing.stripe.subscriptions.cancel(id, params);
  };
  const client = stripeWith(billing.stripe, { subscriptions: { cancel: changeBefore } });
  expect(await requestPlanChange(appWith({ stripe: client }), buyer.userId, { kind: "refund" })).toEqual({
    ok: true,
  });
  const { data } = await billing.stripe.charges.list({ customer: buyer.customer });
  expect(data).toHaveLength(2);
  for (const { amount, amount_refunded } of data) expect(amount_refunded).toBe(amount);
});

test("one press is told in one mail, however many payments it refunds", async () => {
  const buyer = await openCustomer("price_csv_only_yearly");
  await requestPlanChange(appWith(), buyer.userId, {
    kind: "change",
    priceId: "price_csv_banking_yearly",
    prorationDate: new Date(),
  });
  await refund(buyer);
  await Promise.all([buyer.sync(), buyer.sync()]);
  const { rows } = await billing.database.pool.query(
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
  const buyer = await openCustomer();
  await setStripe({ api: "down" });
  expect(await refund(buyer)).toEqual({ ok: true });
  expect(await endPayments(appWith(), buyer.userId, buyer.subscription)).toBe("payments_away");
  await setStripe({ reset: true });
  expect(await endPayments(appWith(), buyer.userId, buyer.subscription)).toBe("ended");
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("each payment is refunded by the promise of the plan that it was for", async () => {
  const buyer = await openCustomer();
  // What the larger plan was paid for opened long ago, and what the smaller one is for did not.
  await billing.database.pool.query(
    "INSERT INTO features VALUES ('banking_api', now() - interval '60 days')",
  );
  await billing.database.pool.query(
    "UPDATE stripe_invoices SET paid_at = paid_at - interval '20 days' WHERE user_id = $1",
    [buyer.userId],
  );
  expect((await overview(buyer))?.refundable).toBeNull();
  // It was bought as what it was sold as then.
  const sellAs = (tier: string) =>
    billing.database.pool.query(
      "UPDATE products SET tier = $1 FROM prices WHERE prices.product_id = products.id AND prices.id = 'price_csv_banking_yearly'",
      [tier],
    );
  await sellAs("basic");
  expect((await overview(buyer))?.refundable).toBeNull();
  await sellAs("premium");
  const { items } = await billing.stripe.subscriptions.retrieve(buyer.subscription);
  await billing.stripe.subscriptions.update(buyer.subscription, {
    items: [{ id: items.data[0]?.id ?? "", price: "price_csv_only_yearly" }],
    proration_behavior: "none",
  });
  await buyer.sync();
  await billing.database.pool.query(
    "UPDATE stripe_invoices SET paid_at = paid_at - interval '20 days' WHERE user_id = $1",
    [buyer.userId],
  );
  expect(await overview(buyer)).toMatchObject({ tier: "basic", refundable: null });
});

test.each([
  ["refund", 20],
  // The promise is over by then, the last day of a withdrawal is not.
  ["withdraw", 11 - 1 / 24],
] as const)("a %s that was asked for in time is paid when it is late", async (kind, daysAgo) => {
  const { pool } = billing.database;
  await pool.query(
    "INSERT INTO features VALUES ('banking_api', now() - interval '60 days') ON CONFLICT DO NOTHING",
  );
  const { userId, customer, id } = await subscribe({ ...billing, appWith }, { startDay: -25 });
  await setStripe({ api: "down" });
  expect(await requestPlanChange(appWith(), userId, { kind })).toEqual({ ok: true });
  await pool.query(
    "UPDATE plan_changes SET requested_at = now() - make_interval(secs => $2) WHERE user_id = $1",
    [userId, daysAgo * 24 * 60 * 60],
  );
  await setStripe({ reset: true });
  await applyPlanChange(appWith(), id);
  const { data } = await billing.stripe.charges.list({ customer });
  expect(data.map(({ amount_refunded }) => amount_refunded)).toEqual([499]);
});

test("a payment that was declined stops no withdrawal from the others", async () => {
  const buyer = await openCustomer("price_csv_only_yearly");
  await payWith(buyer, "pm_card_chargeCustomerFail");
  await requestPlanChange(appWith(), buyer.userId, {
    kind: "change",
    priceId: "price_csv_banking_yearly",
    prorationDate: new Date(),
  });
  await buyer.sync();
  expect(await ask(buyer, "withdraw")).toEqual({ ok: true });
  expect(await statusAtStripe(buyer)).toBe("canceled");
  expect(await overview(buyer)).toMatchObject({ applying: null });
  expect(await refundedOf(buyer)).toContain(2999);
});

const ask = (buyer: Buyer, kind: "refund" | "withdraw") =>
  requestPlanChange(appWith(), buyer.userId, { kind });

async function chargesOf(buyer: Buyer): Promise<Stripe.Charge[]> {
  const { data } = await billing.stripe.charges.list({ customer: buyer.customer });
  return data.toSorted((one, other) => one.amount - other.amount);
}

/** Opens a dispute, or decides one. */
async function control(body: Record<string, unknown>): Promise<Stripe.Dispute> {
  const url = `${billing.sandbox.origin}/sandbox/stripe/control/disputes`;
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.json();
}

async function dispute(buyer: Buyer, also = {}): Promise<Stripe.Dispute> {
  const [charge] = await chargesOf(buyer);
  return control({ charge: charge?.id, ...also });
}

async function jobsFor({ subscription }: Buyer): Promise<number> {
  const { rows } = await billing.database.pool.query(
    "SELECT FROM outbox WHERE kind = 'apply_plan_change' AND dedupe_key = $1 AND done_at IS NULL",
    [subscription],
  );
  return rows.length;
}

/** Stripe tells of it, and what waits is done. @returns whether anything waited */
async function hear(buyer: Buyer): Promise<boolean> {
  await buyer.sync();
  const isWaiting = (await jobsFor(buyer)) > 0;
  await applyPlanChange(appWith(), buyer.subscription);
  expect(await jobsFor(buyer)).toBe(0);
  return isWaiting;
}

test.each(["withdraw", "refund"] as const)(
  "a %s during a dispute is paid when the dispute is won later, once",
  async (kind) => {
    const buyer = await openCustomer();
    const { id } = await dispute(buyer);
    expect(await ask(buyer, kind)).toEqual({ ok: true });
    expect(await refundedOf(buyer)).toEqual([0]);
    expect((await billing.stripe.subscriptions.retrieve(buyer.subscription)).status).toBe("canceled");
    expect(await hear(buyer), "nothing to do while the bank decides").toBe(false);
    await control({ dispute: id, status: "won" });
    expect(await hear(buyer)).toBe(true);
    expect(await refundedOf(buyer)).toEqual([4999]);
    expect(await hear(buyer)).toBe(false);
    expect(
      (await billing.stripe.refunds.list({ charge: (await chargesOf(buyer))[0]?.id ?? "" })).data,
    ).toHaveLength(1);
  },
);

test("a dispute that is lost has paid it", async () => {
  const buyer = await openCustomer();
  const { id } = await dispute(buyer);
  await ask(buyer, "withdraw");
  await control({ dispute: id, status: "lost" });
  expect(await hear(buyer)).toBe(false);
  expect(await refundedOf(buyer)).toEqual([0]);
});

test("a dispute that begins after the withdrawal was paid pays nothing twice", async () => {
  const buyer = await openCustomer();
  await ask(buyer, "withdraw");
  const { id } = await dispute(buyer);
  await hear(buyer);
  await control({ dispute: id, status: "won" });
  expect(await hear(buyer)).toBe(false);
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("one that begins before Stripe could pay, and was never heard of while open, is paid when it is won", async () => {
  const buyer = await openCustomer();
  const { id } = await dispute(buyer);
  const unheard = stripeWith(billing.stripe, { disputes: { list: async () => ({ data: [] }) } });
  await requestPlanChange(appWith({ stripe: unheard }), buyer.userId, { kind: "withdraw" });
  expect(await refundedOf(buyer)).toEqual([0]);
  await control({ dispute: id, status: "won" });
  expect(await hear(buyer)).toBe(true);
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("of a payment that was paid back in part the rest is paid", async () => {
  const buyer = await openCustomer();
  const [charge] = await chargesOf(buyer);
  await billing.stripe.refunds.create({ charge: charge?.id ?? "", amount: 1000 });
  const { id } = await dispute(buyer);
  await ask(buyer, "withdraw");
  expect(await refundedOf(buyer)).toEqual([1000]);
  await control({ dispute: id, status: "won" });
  await hear(buyer);
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("a bank's inquiry, which takes no money, does not stop the refund", async () => {
  const buyer = await openCustomer();
  expect(await dispute(buyer, { inquiry: true })).toMatchObject({ status: "warning_needs_response" });
  await ask(buyer, "withdraw");
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("of several payments those that are not disputed are paid at once", async () => {
  const buyer = await openCustomer("price_csv_only_yearly");
  await requestPlanChange(appWith(), buyer.userId, {
    kind: "change",
    priceId: "price_csv_banking_yearly",
    prorationDate: new Date(),
  });
  const before = await chargesOf(buyer);
  expect(before).toHaveLength(2);
  const { id } = await dispute(buyer);
  await ask(buyer, "withdraw");
  expect(await refundedOf(buyer)).toEqual([0, before[1]?.amount]);
  await control({ dispute: id, status: "won" });
  await hear(buyer);
  expect(await refundedOf(buyer)).toEqual(before.map(({ amount }) => amount));
});

test("Stripe is asked about what is disputed although it says nothing", async () => {
  const { pool, db } = billing.database;
  const buyer = await openCustomer();
  await dispute(buyer);
  await ask(buyer, "withdraw");
  const isAsked = async () => {
    await enqueueOverdueSyncs(db);
    const { rows } = await pool.query("SELECT FROM outbox WHERE kind = 'sync_customer' AND dedupe_key = $1", [
      buyer.customer,
    ]);
    return rows.length > 0;
  };
  expect(await isAsked()).toBe(false);
  await pool.query("UPDATE customers SET synced_at = now() - interval '7 hours' WHERE user_id = $1", [
    buyer.userId,
  ]);
  expect(await isAsked()).toBe(true);
});

test("deleting an account while the bank decides leaves the operator a note", async () => {
  const { db } = billing.database;
  const buyer = await openCustomer();
  const { payment_intent: payment } = await dispute(buyer);
  await ask(buyer, "withdraw");
  const app = appWith();
  expect(await endPayments(app, buyer.userId, null)).toBe("ended");
  await db.transaction((tx) => deletePaymentRecords(tx, buyer.userId, app.config.site));
  const { rows } = await billing.database.pool.query(
    "SELECT payload FROM outbox WHERE kind = 'send_mail' AND payload::text LIKE '%' || $1 || '%'",
    [payment],
  );
  expect(rows).toMatchObject([{ payload: { to: app.config.site.supportEmail } }]);
});
