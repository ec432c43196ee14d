import type Stripe from "stripe";
import { beforeEach, expect, test } from "vitest";
import { readOverviewCounts } from "../../figures/overview-counts.server.ts";
import { setupBilling, stripeWith } from "../billing.fixture.ts";
import { REFUND_PAYMENT, type RefundJob } from "../job-kinds.server.ts";
import { resendNotice } from "../notices/resend-receipt.server.ts";
import { requestPlanChange } from "./apply-plan-change.server.ts";
import { endByOperator } from "./end-by-operator.server.ts";
import { readPlanAndPayments } from "./plan-overview.server.ts";
import { refundPart } from "./refund.server.ts";
import { refundAgain, reviewRefundAgain } from "./refund-again.server.ts";

const { billing, appWith, openCustomer, setStripe } = setupBilling();
type Buyer = Awaited<ReturnType<typeof openCustomer>>;

beforeEach(() => setStripe({ reset: true }));

const ACTOR = { name: "npm run ops" };
const ownerOf = ({ userId }: Buyer) => ({ id: userId, email: `${userId}@example.com`, timeZone: null });
const invoicesOf = async ({ userId }: Buyer) =>
  (await readPlanAndPayments(appWith(), userId))?.invoices ?? [];

/** The bank of a customer sends their last refund back. */
async function fail(buyer: Buyer, failure_reason = "lost_or_stolen_card") {
  const [payment] = (await billing.stripe.paymentIntents.list({ customer: buyer.customer })).data;
  const [refund] = (await billing.stripe.refunds.list({ payment_intent: payment?.id ?? "" })).data;
  const answer = await fetch(`${billing.sandbox.origin}/sandbox/stripe/control/refunds`, {
    method: "POST",
    body: JSON.stringify({ refund: refund?.id, failure_reason }),
  });
  expect(answer.status).toBe(200);
  await buyer.sync();
}

async function waitingJobsOf({ customer }: Buyer): Promise<RefundJob[]> {
  const { rows } = await billing.database.pool.query<{ payload: RefundJob }>(
    "SELECT payload FROM outbox WHERE kind = $1 AND payload->>'stripeCustomerId' = $2 AND done_at IS NULL",
    [REFUND_PAYMENT.name, customer],
  );
  return rows.map(({ payload }) => payload);
}

async function runJobs(buyer: Buyer) {
  const jobs = await waitingJobsOf(buyer);
  for (const job of [...jobs, ...jobs]) await refundPart(appWith(), job);
  await billing.database.pool.query("UPDATE outbox SET done_at = now() WHERE kind = $1", [
    REFUND_PAYMENT.name,
  ]);
}

async function refundedMails({ userId }: Buyer) {
  const { rows } = await billing.database.pool.query(
    "SELECT FROM outbox WHERE kind = 'send_mail' AND payload->>'to' = $1 AND payload->>'subject' LIKE 'We refunded%'",
    [`${userId}@example.com`],
  );
  return rows.length;
}

async function again(buyer: Buyer, how: "card" | "other", total: number) {
  const review = await reviewRefundAgain(appWith(), ownerOf(buyer), { how });
  if (!review.ok) throw new Error(review.message);
  expect(review).toMatchObject({ total, currency: "usd", payments: [{ amount: total }] });
  const confirmed = { seen: review.seen, total, reason: "The bank sent it back" };
  return refundAgain(appWith(), ACTOR, ownerOf(buyer), { how }, confirmed);
}

test("a refund that the bank sends back is known, and owed until it is paid again, once", async () => {
  const buyer = await openCustomer();
  await requestPlanChange(appWith(), buyer.userId, { kind: "refund" });
  expect(await invoicesOf(buyer)).toMatchObject([{ amountRefunded: 4999, refundFailed: 0 }]);
  expect(await refundedMails(buyer)).toBe(1);

  await fail(buyer);
  expect(await invoicesOf(buyer)).toMatchObject([
    {
      amountRefunded: 0,
      refundFailed: 4999,
      refundFailure: "The bank didn’t take it, and sent the money back to us.",
      refundNotice: expect.stringMatching(
        /^Your refund of \$49\.99 didn’t arrive\..* We still owe it to you/,
      ),
    },
  ]);
  expect((await readOverviewCounts(billing.database.db)).refundsReturned).toMatchObject([
    { currency: "usd", count: 1, amount: 4999 },
  ]);

  const review = await reviewRefundAgain(appWith(), ownerOf(buyer), { how: "card" });
  expect(review.ok && review.mails.map(({ subject }) => subject)).toEqual(["We refunded $49.99"]);
  const pressed = await Promise.all([again(buyer, "card", 4999), again(buyer, "card", 4999)]);
  expect(pressed.filter(({ ok }) => ok)).toHaveLength(1);
  await runJobs(buyer);
  expect(await invoicesOf(buyer)).toMatchObject([
    { amountRefunded: 4999, refundFailed: 0, refundNotice: null },
  ]);
  expect(await refundedMails(buyer)).toBe(2);
  expect((await readOverviewCounts(billing.database.db)).refundsReturned).toEqual([]);
  expect(await reviewRefundAgain(appWith(), ownerOf(buyer), { how: "card" })).toMatchObject({ status: 409 });

  // It fails once more, and is then paid in another way.
  await fail(buyer, "expired_or_canceled_card");
  expect(await invoicesOf(buyer)).toMatchObject([
    { refundFailed: 4999, refundFailure: expect.stringContaining("its account is closed") },
  ]);
  expect(await again(buyer, "other", 4999)).toEqual({ ok: true });
  // A worker of the version before, which knows nothing of other ways, would pay the amount.
  expect(await waitingJobsOf(buyer)).toMatchObject([{ again: "other", amount: 0 }]);
  await runJobs(buyer);
  expect(await invoicesOf(buyer)).toMatchObject([{ amountRefunded: 0, refundFailed: 0 }]);
  const { data } = await billing.stripe.charges.list({ customer: buyer.customer });
  expect(data).toMatchObject([{ amount_refunded: 0 }]);
  const { rows } = await billing.database.pool.query(
    "SELECT after->>'how' AS how FROM audit_log WHERE action = 'user.refunded_again' AND subject = $1 ORDER BY id",
    [`user:${buyer.userId}`],
  );
  expect(rows).toEqual([{ how: "card" }, { how: "other" }]);
});

test("it pays what was confirmed, to that customer alone, and not again while it is on its way", async () => {
  const [buyer, other] = [await openCustomer(), await openCustomer()];
  for (const each of [buyer, other]) {
    await requestPlanChange(appWith(), each.userId, { kind: "refund" });
    await fail(each);
  }
  const review = await reviewRefundAgain(appWith(), ownerOf(buyer), { how: "card" });
  const seen = review.ok ? review.seen : "";
  const confirmed = { seen, total: 9998, reason: "The bank sent it back" };
  expect(await refundAgain(appWith(), ACTOR, ownerOf(buyer), { how: "card" }, confirmed)).toMatchObject({
    status: 409,
  });
  expect(await waitingJobsOf(buyer)).toEqual([]);
  expect(await again(buyer, "card", 4999)).toEqual({ ok: true });
  expect(await again(buyer, "card", 4999)).toMatchObject({ status: 409 });
  expect(await waitingJobsOf(buyer)).toMatchObject([{ amount: 4999, stripeCustomerId: buyer.customer }]);
  await runJobs(buyer);
  expect(await invoicesOf(buyer)).toMatchObject([{ amountRefunded: 4999, refundFailed: 0 }]);
  expect(await invoicesOf(other)).toMatchObject([{ amountRefunded: 0, refundFailed: 4999 }]);
});

test("a refund that failed is owed although Stripe’s charge still counts it", async () => {
  const buyer = await openCustomer();
  await requestPlanChange(appWith(), buyer.userId, { kind: "refund" });
  await fail(buyer);
  const { paymentIntents } = billing.stripe;
  const list = (params: Stripe.PaymentIntentListParams) => ({
    async autoPagingToArray() {
      const { data } = await paymentIntents.list(params);
      for (const { latest_charge: charge } of data)
        if (charge && typeof charge !== "string") charge.amount_refunded = charge.amount;
      return data;
    },
  });
  await buyer.sync(stripeWith(billing.stripe, { paymentIntents: { list } }));
  expect(await invoicesOf(buyer)).toMatchObject([{ amountRefunded: 0, refundFailed: 4999 }]);
});

test("of a part that failed only the part is owed, beside what was refunded well", async () => {
  const buyer = await openCustomer();
  for (const [seen, amount] of [["0", "10.00"]] as const) {
    const terms = { when: "period_end", refund: "part", amount } as const;
    const confirmed = { seen, total: 1000, reason: "They asked" };
    expect(await endByOperator(appWith(), ACTOR, ownerOf(buyer), terms, confirmed)).toEqual({ ok: true });
    await runJobs(buyer);
  }
  await fail(buyer);
  const [payment] = (await billing.stripe.paymentIntents.list({ customer: buyer.customer })).data;
  await billing.stripe.refunds.create({ payment_intent: payment?.id ?? "", amount: 500 });
  await buyer.sync();
  expect(await invoicesOf(buyer)).toMatchObject([{ amountRefunded: 500, refundFailed: 1000 }]);
  expect(await again(buyer, "card", 1000)).toEqual({ ok: true });
  await runJobs(buyer);
  expect(await invoicesOf(buyer)).toMatchObject([{ amountRefunded: 1500, refundFailed: 0 }]);
});

test("what was paid in another way settles the refunds that had failed, and not one that fails after it", async () => {
  const buyer = await openCustomer();
  const [payment] = (await billing.stripe.paymentIntents.list({ customer: buyer.customer })).data;
  const refund = (amount: number) =>
    billing.stripe.refunds.create({ payment_intent: payment?.id ?? "", amount });
  await refund(1000);
  await fail(buyer);
  await refund(500);
  await buyer.sync();
  expect(await again(buyer, "other", 1000)).toEqual({ ok: true });
  await runJobs(buyer);
  expect(await invoicesOf(buyer)).toMatchObject([{ amountRefunded: 500, refundFailed: 0 }]);
  await fail(buyer);
  expect(await invoicesOf(buyer)).toMatchObject([{ amountRefunded: 0, refundFailed: 500 }]);
});

test("a card whose refunds fail at once leaves no mail that says it was refunded, and one that the plan has ended", async () => {
  const { userId, customer } = await openCustomer("price_csv_only_yearly");
  const { id } = await billing.stripe.paymentMethods.attach("pm_card_refundFail", { customer });
  const bought = await billing.stripe.subscriptions.create({
    customer,
    items: [{ price: "price_csv_banking_yearly" }],
    default_payment_method: id,
  });
  const buyer = { userId, customer, subscription: bought.id, sync: async () => [] };
  const [first] = (await billing.stripe.subscriptions.list({ customer })).data.filter(
    (each) => each.id !== bought.id,
  );
  await billing.stripe.subscriptions.cancel(first?.id ?? "");
  const terms = { when: "now", refund: "whole", amount: "" } as const;
  const confirmed = { seen: "0", total: 4999, reason: "They asked" };
  expect(await endByOperator(appWith(), ACTOR, ownerOf(buyer), terms, confirmed)).toEqual({ ok: true });
  await runJobs(buyer);
  expect((await invoicesOf(buyer)).find(({ subscriptionId }) => subscriptionId === bought.id)).toMatchObject({
    amountRefunded: 0,
    refundFailed: 4999,
  });
  expect(await refundedMails(buyer)).toBe(0);
});

test("the mail about a refund is sent again, also when the refund is long known", async () => {
  const buyer = await openCustomer();
  await requestPlanChange(appWith(), buyer.userId, { kind: "refund" });
  const [invoice] = await invoicesOf(buyer);
  const resend = (invoiceId: string | undefined) =>
    resendNotice(appWith(), ACTOR, buyer.userId, (notice) => notice.invoiceId === invoiceId);
  expect(await resend(invoice?.id)).toBe("sent");
  expect(await refundedMails(buyer)).toBe(2);
  expect(await resend("in_of_another")).toBe("no_receipt");
});
