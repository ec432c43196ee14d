import Stripe from "stripe";
import { beforeEach, expect, test } from "vitest";
import type { Message } from "../../mail/message.ts";
import { setupBilling, stripeWith } from "../billing.fixture.ts";
import {
  type CreditJob,
  GIVE_CREDIT,
  MAIL_PLAN_CHANGE,
  type PlanChangeMailJob,
  REFUND_PAYMENT,
  type RefundJob,
} from "../job-kinds.server.ts";
import { changeByOperator, mailPlanChange, reviewPlanChange } from "./change-by-operator.server.ts";
import { creditByOperator, giveCredit, reviewCredit } from "./credit-by-operator.server.ts";
import { type EndTerms, endByOperator, reviewEnd } from "./end-by-operator.server.ts";
import { refundPart } from "./refund.server.ts";
import { readRefundByOperator } from "./refund-by-operator.server.ts";

const { billing, appWith, openCustomer, setStripe } = setupBilling();
type Buyer = Awaited<ReturnType<typeof openCustomer>>;

beforeEach(() => setStripe({ reset: true }));

const ACTOR = { name: "npm run ops" };
const ownerOf = ({ userId }: Buyer) => ({ id: userId, email: `${userId}@example.com`, timeZone: null });
const END: EndTerms = { when: "now", refund: "part", amount: "10.00" };

async function end(buyer: Buyer, terms = END, total = 1000, seen = "0") {
  return endByOperator(appWith(), ACTOR, ownerOf(buyer), terms, { seen, total, reason: "They asked" });
}

/** What a worker does with the jobs of these decisions, as often as it likes. */
async function runJobs(buyer: Buyer) {
  const { rows } = await billing.database.pool.query<{ kind: string; payload: RefundJob & CreditJob }>(
    "SELECT kind, payload FROM outbox WHERE kind = ANY($1) AND payload->>'stripeCustomerId' = $2",
    [[REFUND_PAYMENT.name, GIVE_CREDIT.name], buyer.customer],
  );
  for (const { kind, payload } of [...rows, ...rows])
    await (kind === GIVE_CREDIT.name ? giveCredit : refundPart)(appWith(), payload);
  return rows.length;
}

const chargesOf = async ({ customer }: Buyer) => (await billing.stripe.charges.list({ customer })).data;
const atStripe = ({ subscription }: Buyer) => billing.stripe.subscriptions.retrieve(subscription);

async function runMailJobs({ userId }: Buyer) {
  const { rows } = await billing.database.pool.query<{ payload: PlanChangeMailJob }>(
    "SELECT payload FROM outbox WHERE kind = $1 AND payload->>'userId' = $2",
    [MAIL_PLAN_CHANGE.name, userId],
  );
  for (const { payload } of rows) await mailPlanChange(appWith(), payload);
}

async function told({ userId }: Buyer) {
  const { rows } = await billing.database.pool.query(
    "SELECT payload->>'subject' AS subject FROM outbox WHERE kind = 'send_mail' AND payload->>'to' = $1 ORDER BY id",
    [`${userId}@example.com`],
  );
  return rows.map(({ subject }) => subject).filter((subject) => !/^Receipt/.test(subject));
}

async function logged({ userId }: Buyer) {
  const { rows } = await billing.database.pool.query(
    "SELECT action, after, reason FROM audit_log WHERE subject = $1",
    [`user:${userId}`],
  );
  return rows;
}

test("a plan ends at once with part of its payment, once, however often and by however many it is pressed", async () => {
  const buyer = await openCustomer();
  const review = await reviewEnd(appWith(), ownerOf(buyer), END);
  expect(review).toMatchObject({ ok: true, ends: "now", total: 1000, payments: [{ amount: 1000 }] });
  if (review.ok) expect(review.mails.map(({ subject }) => subject)).toEqual(["We refunded $10.00"]);
  const pressed = await Promise.all([end(buyer), end(buyer), end(buyer)]);
  expect(pressed.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await end(buyer)).toMatchObject({ status: 409 });
  expect(await runJobs(buyer)).toBe(1);
  expect((await atStripe(buyer)).status).toBe("canceled");
  expect(await chargesOf(buyer)).toMatchObject([{ amount_refunded: 1000 }]);
  expect(await told(buyer)).toEqual(["We refunded $10.00"]);
  expect(await logged(buyer)).toEqual([
    {
      action: "user.plan_ended",
      after: { subscription: buyer.subscription, ends: "now", refunded: 1000, currency: "usd" },
      reason: "They asked",
    },
  ]);
});

test("what remains by a grant is in the preview and in the mail", async () => {
  const buyer = await openCustomer();
  const give = (tier: string, interval: string) =>
    billing.database.pool.query(
      `INSERT INTO grants (id, user_id, tier, source, expires_at)
       VALUES (gen_random_uuid(), $1, $2, 'admin', now() + $3::interval)`,
      [buyer.userId, tier, interval],
    );
  await give("basic", "10 years");
  await give("premium", "1 month");
  expect(await reviewEnd(appWith(), ownerOf(buyer), { ...END, when: "period_end" })).toMatchObject({
    remaining: { tier: "basic" },
  });
  const review = await reviewEnd(appWith(), ownerOf(buyer), END);
  expect(review).toMatchObject({ remaining: { tier: "premium" } });
  expect(await end(buyer)).toEqual({ ok: true });
  await runJobs(buyer);
  const { rows } = await billing.database.pool.query<{ mail: Message }>(
    "SELECT payload AS mail FROM outbox WHERE kind = 'send_mail' AND payload->>'subject' LIKE 'We refunded%' AND payload->>'to' = $1",
    [ownerOf(buyer).email],
  );
  expect(JSON.stringify(rows)).toMatch(
    /The plan you paid for has ended.*You still have CSV \+ Banking until/,
  );
});

test("a plan ends with its period and everything is refunded now; more than was paid is refused", async () => {
  const buyer = await openCustomer();
  const terms = { ...END, when: "period_end" as const };
  expect(await reviewEnd(appWith(), ownerOf(buyer), { ...terms, amount: "50" })).toMatchObject({
    status: 400,
    message: "At most $49.99 can be refunded.",
  });
  expect(await end(buyer, { ...terms, refund: "whole" }, 1)).toMatchObject({ status: 409 });
  expect(await end(buyer, { ...terms, refund: "whole" }, 4999)).toEqual({ ok: true });
  expect(await end(buyer, END, 1000, "1")).toMatchObject({ status: 409 });
  await runJobs(buyer);
  expect(await atStripe(buyer)).toMatchObject({ status: "active", cancel_at_period_end: true });
  expect(await chargesOf(buyer)).toMatchObject([{ amount_refunded: 4999 }]);
  expect(await told(buyer)).toEqual(["CSV + Banking is canceled", "We refunded $49.99"]);
});

test("nothing is half done while Stripe is away", async () => {
  const buyer = await openCustomer();
  await setStripe({ api: "down" });
  const answers = [
    await end(buyer),
    await creditByOperator(appWith(), ACTOR, ownerOf(buyer), "5", { seen: "0", reason: "Sorry" }),
    await changeByOperator(
      appWith(),
      ACTOR,
      ownerOf(buyer),
      { price: "price_csv_only_yearly", at: "0", due: "0" },
      { seen: "0", reason: "Asked" },
    ),
  ];
  expect(answers.map((answer) => !answer.ok && answer.status)).toEqual([503, 503, 503]);
  await setStripe({ reset: true });
  expect([await runJobs(buyer), await logged(buyer)]).toEqual([0, []]);
});

/** @returns what an operator presses after the preview of a smaller plan */
async function reviewedChange(buyer: Buyer) {
  const owner = ownerOf(buyer);
  const review = await reviewPlanChange(appWith(), owner, "price_csv_only_yearly");
  if (!review.ok || !review.review) throw new Error("no review");
  const { startsAt, due, price } = review.review;
  const fields = { price: price.id, at: String(startsAt.getTime() / 1000), due: String(due) };
  const confirmed = { seen: review.seen, reason: "Asked" };
  return (stripe = billing.stripe) => changeByOperator(appWith({ stripe }), ACTOR, owner, fields, confirmed);
}

test("a smaller plan follows, by the customer’s own review", async () => {
  const buyer = await openCustomer();
  const change = await reviewedChange(buyer);
  const pressed = await Promise.all([change(), change()]);
  expect(pressed.filter(({ ok }) => ok)).toHaveLength(1);
  expect((await atStripe(buyer)).schedule).not.toBeNull();
  await runMailJobs(buyer);
  expect(await told(buyer)).toEqual([expect.stringMatching(/^Your plan changes to CSV Only on /)]);
  expect(await logged(buyer)).toMatchObject([{ action: "user.plan_changed", reason: "Asked" }]);
});

test("the mail about a change is recorded with it, and goes when Stripe refuses", async () => {
  const buyer = await openCustomer();
  const change = await reviewedChange(buyer);
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<never>();
  const create = () => {
    asked.resolve();
    return answered.promise;
  };
  const changing = change(stripeWith(billing.stripe, { subscriptionSchedules: { create } }));
  // What a process leaves that is killed here.
  await asked.promise;
  await runMailJobs(buyer);
  expect(await told(buyer)).toHaveLength(1);
  answered.reject(new Stripe.errors.StripeInvalidRequestError({ message: "not now" }));
  expect(await changing).toMatchObject({ ok: false, status: 409 });
  await runMailJobs(buyer);
  expect(await told(buyer)).toHaveLength(1);
});

test("a credit is taken off the next payment, and given once", async () => {
  const buyer = await openCustomer();
  const owner = ownerOf(buyer);
  expect(await reviewCredit(appWith(), owner, "5.555")).toMatchObject({ status: 400 });
  expect(await reviewCredit(appWith(), owner, "1000.01")).toMatchObject({ status: 400 });
  const review = await reviewCredit(appWith(), owner, "5");
  expect(review).toMatchObject({ money: { amount: 500 }, next: { before: 4999, after: 4499 } });
  const give = () => creditByOperator(appWith(), ACTOR, owner, "5", { seen: "0", reason: "Sorry" });
  const pressed = await Promise.all([give(), give()]);
  expect(pressed.filter(({ ok }) => ok)).toHaveLength(1);
  await runJobs(buyer);
  expect(await billing.stripe.customers.retrieve(buyer.customer)).toMatchObject({ balance: -500 });
  expect(await reviewCredit(appWith(), owner, "5")).toMatchObject({ next: { before: 4499, after: 3999 } });
  expect(await told(buyer)).toEqual(["You have a credit of $5.00"]);
});

test("a refund by an operator is for the day of the request that waits, not of one that was answered long ago", async () => {
  const buyer = await openCustomer();
  const { pool } = billing.database;
  const daysSinceAsked = async () => {
    const refund = await readRefundByOperator(appWith(), ownerOf(buyer));
    return refund && Math.round((Date.now() - refund.askedAt.getTime()) / 86_400_000);
  };
  const ask = (daysAgo: number, isAnswered: boolean) =>
    pool.query(
      `INSERT INTO contact_messages (id, name, email, topic, message, content_hash, created_at, answered_at, answered_by)
       VALUES ($1, 'Ada', $2, 'payment', $3, $1, now() - make_interval(days => $4), CASE WHEN $5 THEN now() END, CASE WHEN $5 THEN 'Bo' END)`,
      [crypto.randomUUID(), ownerOf(buyer).email, `A refund (${buyer.subscription})`, daysAgo, isAnswered],
    );
  expect(await daysSinceAsked()).toBe(0);
  await ask(200, true);
  await ask(3, false);
  await ask(1, false);
  expect(await daysSinceAsked()).toBe(3);
  await pool.query("UPDATE contact_messages SET answered_at = now(), answered_by = 'Bo' WHERE email = $1", [
    ownerOf(buyer).email,
  ]);
  expect(await daysSinceAsked()).toBe(1);
});
