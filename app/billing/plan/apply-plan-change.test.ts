import { eq } from "drizzle-orm";
import Stripe from "stripe";
import { beforeEach, describe, expect, test } from "vitest";
import { setFeature } from "../../entitlements/features.server.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { setupBilling, stripeWith } from "../billing.fixture.ts";
import { planChanges } from "../schema.ts";
import { applyPlanChange, requestPlanChange } from "./apply-plan-change.server.ts";
import { type PlanChangeRequest, recordRequest } from "./plan-change-request.server.ts";
import { readPlanOverview } from "./plan-overview.server.ts";

const { billing, appWith, openCustomer, setStripe } = setupBilling();
let buyer: Awaited<ReturnType<typeof openCustomer>>;

beforeEach(async () => {
  await setStripe({ reset: true });
  buyer = await openCustomer();
});

const CANCEL: PlanChangeRequest = { kind: "cancel", reason: "unused", comment: "I have no time" };
const changeTo = (priceId: string): PlanChangeRequest => ({
  kind: "change",
  priceId,
  prorationDate: new Date(),
});

const ask = (request: PlanChangeRequest, who = buyer) => requestPlanChange(appWith(), who.userId, request);
const atStripe = (who = buyer) =>
  billing.stripe.subscriptions.retrieve(who.subscription, { expand: ["schedule"] });
const overview = (who = buyer) => readPlanOverview(appWith(), who.userId);

async function changeRow() {
  const [row] = await billing.database.db
    .select()
    .from(planChanges)
    .where(eq(planChanges.subscriptionId, buyer.subscription));
  return row;
}

async function refusalMails() {
  const { rowCount } = await billing.database.pool.query(
    "SELECT FROM outbox WHERE payload->>'to' = $1 AND payload->>'subject' = 'We couldn’t change your plan'",
    [`${buyer.userId}@example.com`],
  );
  return rowCount;
}

async function priceAtStripe(who = buyer) {
  return (await atStripe(who)).items.data[0]?.price.id;
}

test("cancelling ends it with its period, with the reason at Stripe; keeping it undoes that", async () => {
  expect(await ask(CANCEL)).toEqual({ ok: true });
  expect(await atStripe()).toMatchObject({
    cancel_at_period_end: true,
    cancellation_details: { feedback: "unused", comment: "I have no time" },
  });
  expect(await overview()).toMatchObject({ cancelAt: expect.any(Date), next: null, applying: null });
  await ask({ kind: "resume" });
  expect(await atStripe()).toMatchObject({ cancel_at_period_end: false, cancel_at: null });
  expect(await overview()).toMatchObject({ cancelAt: null, next: { amount: 4999 } });
});

test("a discount stays through a change at the period's end", async () => {
  const coupon = await billing.stripe.coupons.create({ percent_off: 50, duration: "forever" });
  await billing.stripe.subscriptions.update(buyer.subscription, { discounts: [{ coupon: coupon.id }] });
  await ask(changeTo("price_csv_only_yearly"));
  expect(await overview()).toMatchObject({ next: { amount: 1499 } });
  expect((await atStripe()).discounts).toHaveLength(1);
});

test("an end that was set by Stripe's other field is undone as well", async () => {
  const { current_period_end: end = 0 } = (await atStripe()).items.data[0] ?? {};
  await billing.stripe.subscriptions.update(buyer.subscription, { cancel_at: end - 86_400 });
  await buyer.sync();
  await ask({ kind: "resume" });
  expect(await atStripe()).toMatchObject({ cancel_at: null });
});

test("down: a schedule changes it when the period ends; undone, it is gone", async () => {
  await ask(changeTo("price_csv_only_yearly"));
  expect(await priceAtStripe()).toBe("price_csv_banking_yearly");
  expect(await overview()).toMatchObject({
    nextPlan: { name: "CSV Only" },
    next: { amount: 2999 },
    applying: null,
  });
  // Another one in its place, and the same again.
  await ask(changeTo("price_csv_only_monthly"));
  await ask(changeTo("price_csv_only_monthly"));
  expect(await overview()).toMatchObject({ nextPlan: { price: { unitAmount: 299 } } });
  await ask({ kind: "resume" });
  expect(await atStripe()).toMatchObject({ schedule: null });
  expect(await overview()).toMatchObject({ nextPlan: null, next: { amount: 4999 } });
});

test("down and then cancelled: it only ends", async () => {
  await ask(changeTo("price_csv_only_yearly"));
  await ask(CANCEL);
  expect(await atStripe()).toMatchObject({ schedule: null, cancel_at_period_end: true });
  await ask(changeTo("price_csv_only_yearly"));
  expect(await atStripe()).toMatchObject({ cancel_at_period_end: false, schedule: { status: "active" } });
});

describe("up", () => {
  test("at once, and charged at once", async () => {
    const small = await openCustomer("price_csv_only_yearly");
    expect(await ask(changeTo("price_csv_banking_yearly"), small)).toEqual({ ok: true });
    expect(await priceAtStripe(small)).toBe("price_csv_banking_yearly");
    expect(await currentSubscription(billing.database.db, small.userId)).toMatchObject({ tier: "premium" });
    const { data } = await billing.stripe.invoices.list({ customer: small.customer });
    expect(data.map(({ status, amount_paid }) => [status, amount_paid])).toEqual([
      ["paid", expect.any(Number)],
      ["paid", 2999],
    ]);
  });

  test.each([
    ["declined", "pm_card_chargeCustomerFail", false],
    ["to be confirmed with the bank", "pm_card_authenticationRequired", true],
  ])(
    "with a payment that is %s nothing changes, and the invoice is there to be paid",
    async (_, card, auth) => {
      const small = await openCustomer("price_csv_only_yearly");
      const method = await billing.stripe.paymentMethods.attach(card, { customer: small.customer });
      await billing.stripe.subscriptions.update(small.subscription, { default_payment_method: method.id });
      await ask(changeTo("price_csv_banking_yearly"), small);
      expect(await priceAtStripe(small)).toBe("price_csv_only_yearly");
      expect(await currentSubscription(billing.database.db, small.userId)).toMatchObject({ tier: "basic" });
      expect(await overview(small)).toMatchObject({
        name: "CSV Only",
        waitingPlan: { name: "CSV + Banking" },
        openPayment: { needsAuthentication: auth, url: expect.stringContaining("http") },
      });
      // A user who has changed their mind does not pay for the earlier request.
      await ask({ kind: "resume" }, small);
      expect((await atStripe(small)).pending_update).toBeNull();
      expect(await overview(small)).toMatchObject({ waitingPlan: null, openPayment: null });
    },
  );
});

describe("a refund", () => {
  test("pays everything back, once, and ends the plan", async () => {
    expect(await overview()).toMatchObject({ refundable: { total: 4999, until: null } });
    expect(await ask({ kind: "refund" })).toEqual({ ok: true });
    expect(await ask({ kind: "refund" })).toMatchObject({ ok: false, status: 409 });
    const { data } = await billing.stripe.refunds.list({});
    const refunds = data.filter(({ metadata }) => metadata?.invoice);
    expect(refunds.map(({ amount }) => amount)).toEqual([4999]);
    expect((await atStripe()).status).toBe("canceled");
    expect(await currentSubscription(billing.database.db, buyer.userId)).toBeNull();
    expect(await overview()).toMatchObject({ refundable: null });
  });

  test("of what was refunded elsewhere in part pays back the rest", async () => {
    const { data } = await billing.stripe.invoices.list({ customer: buyer.customer });
    const [payment] = (await billing.stripe.invoicePayments.list({ invoice: data[0]?.id ?? "" })).data;
    await billing.stripe.refunds.create({
      payment_intent: String(payment?.payment.payment_intent),
      amount: 1999,
    });
    await buyer.sync();
    expect(await overview()).toMatchObject({ refundable: { total: 3000 } });
    await ask({ kind: "refund" });
    const refunds = await billing.stripe.refunds.list({
      payment_intent: String(payment?.payment.payment_intent),
    });
    expect(refunds.data.map(({ amount }) => amount).toSorted()).toEqual([1999, 3000]);
  });

  test("that was asked for in time is paid when it is late", async () => {
    await setStripe({ api: "down" });
    expect(await ask({ kind: "refund" })).toEqual({ ok: true });
    expect(await overview()).toMatchObject({ applying: "refund" });
    expect(await ask({ kind: "resume" })).toMatchObject({ ok: false, status: 409 });
    await billing.database.pool.query(
      "UPDATE stripe_invoices SET paid_at = paid_at - interval '20 days' WHERE user_id = $1",
      [buyer.userId],
    );
    await setStripe({ api: "up" });
    await setFeature(billing.database.db, "csv_processing", "now");
    await applyPlanChange(appWith(), buyer.subscription);
    await setFeature(billing.database.db, "csv_processing", null);
    expect((await atStripe()).status).toBe("canceled");
    expect(await overview()).toMatchObject({ status: "canceled", applying: null });
  });
});

test("a refund that Stripe refuses again and again is kept, and paid once it does not", async () => {
  const cancel = () => Promise.reject(new Stripe.errors.StripeInvalidRequestError({ message: "not now" }));
  const client = stripeWith(billing.stripe, { subscriptions: { cancel } });
  const refund = { kind: "refund" } as const;
  expect(await requestPlanChange(appWith({ stripe: client }), buyer.userId, refund)).toEqual({ ok: true });
  expect(await overview()).toMatchObject({ applying: "refund" });
  await applyPlanChange(appWith(), buyer.subscription);
  expect((await atStripe()).status).toBe("canceled");
  expect(await overview()).toMatchObject({ applying: null });
});

test("while Stripe is away the request is kept, and its job applies it", async () => {
  await setStripe({ api: "down" });
  expect(await ask(CANCEL)).toEqual({ ok: true });
  expect(await overview()).toMatchObject({ applying: "cancel", cancelAt: null });
  const { rows } = await billing.database.pool.query(
    "SELECT kind FROM outbox WHERE dedupe_key = $1 AND done_at IS NULL",
    [buyer.subscription],
  );
  expect(rows).toEqual([{ kind: "apply_plan_change" }]);
  await setStripe({ api: "up" });
  await applyPlanChange(appWith(), buyer.subscription);
  expect(await overview()).toMatchObject({ applying: null, cancelAt: expect.any(Date) });
  expect((await changeRow())?.appliedAt).not.toBeNull();
});

test("the reply to a change up is lost: it is charged once all the same", async () => {
  const small = await openCustomer("price_csv_only_yearly");
  await setStripe({ lost_replies: 1, endpoints: "POST /v1/subscriptions" });
  await ask(changeTo("price_csv_banking_yearly"), small);
  await setStripe({ reset: true });
  await applyPlanChange(appWith(), small.subscription);
  expect((await billing.stripe.invoices.list({ customer: small.customer })).data).toHaveLength(2);
  expect(await overview(small)).toMatchObject({ name: "CSV + Banking", applying: null });
});

test("what Stripe refuses is forgotten, and the plan stays", async () => {
  const answer = await requestPlanChange(appWith(), buyer.userId, {
    kind: "change",
    priceId: "price_nobody_has",
    prorationDate: null,
  });
  expect(answer).toMatchObject({ ok: false, status: 409 });
  expect(await changeRow()).toBeUndefined();
  expect(await refusalMails()).toBe(0);
});

test("what Stripe refuses only after the page said that it is saved is mailed, once", async () => {
  const slow = withHeldCall("retrieve");
  const app = appWith({ stripe: slow.client });
  expect(await requestPlanChange(app, buyer.userId, changeTo("price_nobody_has"))).toEqual({ ok: true });
  expect(await refusalMails()).toBe(0);
  slow.release();
  await expect.poll(changeRow).toBeUndefined();
  expect(await refusalMails()).toBe(1);
});

test("of a plan that has ended at Stripe meanwhile only an end can be asked for", async () => {
  await billing.stripe.subscriptions.cancel(buyer.subscription);
  expect(await ask({ kind: "resume" })).toMatchObject({ ok: false, status: 409 });
  const other = await openCustomer();
  await billing.stripe.subscriptions.cancel(other.subscription);
  expect(await ask(CANCEL, other)).toEqual({ ok: true });
});

/** The SDK with a call that reaches Stripe only after `release`. @param failure what it then throws all the same */
function withHeldCall(method: "retrieve" | "update" | "cancel", failure?: Error) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = async (...params: unknown[]) => {
    asked.resolve();
    await released.promise;
    const answer = await Reflect.apply(
      billing.stripe.subscriptions[method],
      billing.stripe.subscriptions,
      params,
    );
    if (failure) throw failure;
    return answer;
  };
  const client = stripeWith(billing.stripe, { subscriptions: { [method]: held } });
  return { client, asked: asked.promise, release: released.resolve };
}

test("an older request that reaches Stripe last does not stand", async () => {
  const slow = withHeldCall("update");
  const cancelling = requestPlanChange(appWith({ stripe: slow.client }), buyer.userId, CANCEL);
  await slow.asked;
  await ask({ kind: "resume" });
  expect(await atStripe()).toMatchObject({ cancel_at_period_end: false });
  slow.release();
  await cancelling;
  expect(await atStripe()).toMatchObject({ cancel_at_period_end: false });
  expect(await overview()).toMatchObject({ cancelAt: null, applying: null });
});

test("an older request that fails after it reached Stripe last is undone by the newer one's job", async () => {
  const slow = withHeldCall("update", new Error("the reply was lost"));
  const cancelling = requestPlanChange(appWith({ stripe: slow.client }), buyer.userId, CANCEL);
  await slow.asked;
  await ask({ kind: "resume" });
  slow.release();
  expect(await cancelling).toEqual({ ok: true });
  expect(await atStripe()).toMatchObject({ cancel_at_period_end: true });
  await applyPlanChange(appWith(), buyer.subscription);
  expect(await atStripe()).toMatchObject({ cancel_at_period_end: false });
});

test.each([0, 1, 2])(
  "two changes, a cancellation and a webhook at once end in the last word (%i)",
  async (seed) => {
    const requests: PlanChangeRequest[] = [
      changeTo("price_csv_only_yearly"),
      changeTo("price_csv_only_monthly"),
      CANCEL,
    ];
    // Another order each time; what is recorded last is the last word.
    const order = [0, 1, 2].map((at) => requests[(at + seed) % 3] as PlanChangeRequest);
    const recorded: PlanChangeRequest[] = [];
    await Promise.all([
      ...order.map(async (request) => {
        const asked = await recordRequest(billing.database.db, buyer.userId, request, async () => {
          recorded.push(request);
        });
        expect(asked.ok).toBe(true);
        await applyPlanChange(appWith(), buyer.subscription);
      }),
      buyer.sync(),
    ]);
    const last = recorded.at(-1);
    const subscription = await atStripe();
    const schedule = subscription.schedule as Stripe.SubscriptionSchedule | null;
    expect({
      kind: subscription.cancel_at_period_end ? "cancel" : "change",
      next: schedule?.phases.at(-1)?.items[0]?.price ?? null,
    }).toEqual({ kind: last?.kind, next: last?.kind === "change" ? last.priceId : null });
    await buyer.sync();
    expect(await overview()).toMatchObject({
      applying: null,
      cancelAt: last?.kind === "cancel" ? expect.any(Date) : null,
      nextPlan: last?.kind === "change" ? { price: { id: last.priceId } } : null,
    });
  },
);
