import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletePaymentRecords, endPayments } from "../end-payments.server.ts";
import { enqueueOverdueSyncs } from "../sync/overdue.server.ts";
import { applyPlanChange } from "./apply-plan-change.server.ts";
import { askForPlan } from "./ask.server.ts";
import { openPlans } from "./plan.fixture.ts";

let plans: Awaited<ReturnType<typeof openPlans>>;
type Buyer = Awaited<ReturnType<typeof plans.openCustomer>>;

beforeAll(async () => {
  plans = await openPlans();
});
afterAll(() => plans.close());

const ask = (buyer: Buyer, kind: "refund" | "withdraw") =>
  askForPlan(plans.appWith(), buyer.userId, { kind });

async function chargesOf(buyer: Buyer): Promise<Stripe.Charge[]> {
  const { data } = await plans.stripe.charges.list({ customer: buyer.customer });
  return data.toSorted((one, other) => one.amount - other.amount);
}

const refundedOf = async (buyer: Buyer) => (await chargesOf(buyer)).map((charge) => charge.amount_refunded);

/** Opens a dispute, or decides one. */
async function control(body: Record<string, unknown>): Promise<Stripe.Dispute> {
  const url = `${plans.sandbox.origin}/sandbox/stripe/control/disputes`;
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.json();
}

async function dispute(buyer: Buyer, also = {}): Promise<Stripe.Dispute> {
  const [charge] = await chargesOf(buyer);
  return control({ charge: charge?.id, ...also });
}

async function jobsFor({ subscription }: Buyer): Promise<number> {
  const { rows } = await plans.database.pool.query(
    "SELECT FROM outbox WHERE kind = 'apply_plan_change' AND dedupe_key = $1 AND done_at IS NULL",
    [subscription],
  );
  return rows.length;
}

/** Stripe tells of it, and what waits is done. @returns whether anything waited */
async function hear(buyer: Buyer): Promise<boolean> {
  await buyer.sync();
  const isWaiting = (await jobsFor(buyer)) > 0;
  await applyPlanChange(plans.stripe, plans.appWith(), buyer.subscription);
  expect(await jobsFor(buyer)).toBe(0);
  return isWaiting;
}

test.each(["withdraw", "refund"] as const)(
  "a %s during a dispute is paid when the dispute is won later, once",
  async (kind) => {
    const buyer = await plans.openCustomer();
    const { id } = await dispute(buyer);
    expect(await ask(buyer, kind)).toEqual({ ok: true });
    expect(await refundedOf(buyer)).toEqual([0]);
    expect((await plans.stripe.subscriptions.retrieve(buyer.subscription)).status).toBe("canceled");
    expect(await hear(buyer), "nothing to do while the bank decides").toBe(false);
    await control({ dispute: id, status: "won" });
    expect(await hear(buyer)).toBe(true);
    expect(await refundedOf(buyer)).toEqual([4999]);
    expect(await hear(buyer)).toBe(false);
    expect(
      (await plans.stripe.refunds.list({ charge: (await chargesOf(buyer))[0]?.id ?? "" })).data,
    ).toHaveLength(1);
  },
);

test("a dispute that is lost has paid it", async () => {
  const buyer = await plans.openCustomer();
  const { id } = await dispute(buyer);
  await ask(buyer, "withdraw");
  await control({ dispute: id, status: "lost" });
  expect(await hear(buyer)).toBe(false);
  expect(await refundedOf(buyer)).toEqual([0]);
});

test("a dispute that begins after the withdrawal was paid pays nothing twice", async () => {
  const buyer = await plans.openCustomer();
  await ask(buyer, "withdraw");
  const { id } = await dispute(buyer);
  await hear(buyer);
  await control({ dispute: id, status: "won" });
  expect(await hear(buyer)).toBe(false);
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("one that begins before Stripe could pay, and was never heard of while open, is paid when it is won", async () => {
  const buyer = await plans.openCustomer();
  const { id } = await dispute(buyer);
  const unheard = new Proxy(plans.stripe, {
    get: (stripe, key) =>
      key === "disputes" ? { list: async () => ({ data: [] }) } : Reflect.get(stripe, key),
  });
  await askForPlan(plans.appWith(unheard), buyer.userId, { kind: "withdraw" });
  expect(await refundedOf(buyer)).toEqual([0]);
  await control({ dispute: id, status: "won" });
  expect(await hear(buyer)).toBe(true);
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("of a payment that was paid back in part the rest is paid", async () => {
  const buyer = await plans.openCustomer();
  const [charge] = await chargesOf(buyer);
  await plans.stripe.refunds.create({ charge: charge?.id ?? "", amount: 1000 });
  const { id } = await dispute(buyer);
  await ask(buyer, "withdraw");
  expect(await refundedOf(buyer)).toEqual([1000]);
  await control({ dispute: id, status: "won" });
  await hear(buyer);
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("a bank that only asks stops nothing", async () => {
  const buyer = await plans.openCustomer();
  expect(await dispute(buyer, { inquiry: true })).toMatchObject({ status: "warning_needs_response" });
  await ask(buyer, "withdraw");
  expect(await refundedOf(buyer)).toEqual([4999]);
});

test("of several payments those that are not disputed are paid at once", async () => {
  const buyer = await plans.openCustomer("price_csv_only_yearly");
  await askForPlan(plans.appWith(), buyer.userId, {
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
  const { pool, db } = plans.database;
  const buyer = await plans.openCustomer();
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

test("whoever deletes their account while the bank decides leaves the operator a note", async () => {
  const { db } = plans.database;
  const buyer = await plans.openCustomer();
  const { payment_intent: payment } = await dispute(buyer);
  await ask(buyer, "withdraw");
  const app = plans.appWith();
  expect(await endPayments(app, buyer.userId, null)).toBe("ended");
  await db.transaction((tx) => deletePaymentRecords(tx, buyer.userId, app.config.site));
  const { rows } = await plans.database.pool.query(
    "SELECT payload FROM outbox WHERE kind = 'send_mail' AND payload::text LIKE '%' || $1 || '%'",
    [payment],
  );
  expect(rows).toMatchObject([{ payload: { to: app.config.site.supportEmail } }]);
});
