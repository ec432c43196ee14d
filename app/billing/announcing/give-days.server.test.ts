import type Stripe from "stripe";
import { beforeEach, expect, test } from "vitest";
import { setupBilling, stripeWith } from "../billing.fixture.ts";
import { requestPlanChange } from "../plan/apply-plan-change.server.ts";
import { findSubscribedPlan } from "../plan/change-review.server.ts";
import { readPlanOverview } from "../plan/plan-overview.server.ts";
import { reconcile } from "../sync/reconcile.server.ts";
import { giveDays } from "./give-days.server.ts";

const { billing, appWith, openCustomer, setStripe } = setupBilling();
const DAY_SECONDS = 86_400;
const CSV_YEARLY = "price_csv_only_yearly";

beforeEach(() => setStripe({ reset: true }));

/** Someone who paid just now, for a feature that opens so many days after. */
async function openBuyer(price = CSV_YEARLY, days = 40) {
  const { userId, subscription: id, customer } = await openCustomer(price);
  const atStripe = () => billing.stripe.subscriptions.retrieve(id, { expand: ["schedule"] });
  const { current_period_start: start = 0, current_period_end: end = 0 } =
    (await atStripe()).items.data[0] ?? {};
  const openedAt = new Date((start + days * DAY_SECONDS) * 1000).toISOString();
  const payload = { subscriptionId: id, feature: "csv_processing" as const, openedAt };
  return {
    userId,
    id,
    customer,
    atStripe,
    end,
    give: (stripe = billing.stripe) => giveDays(appWith({ stripe }), payload, { id: "0" }),
    overview: () => readPlanOverview(appWith(), userId),
    ask: (request: Parameters<typeof requestPlanChange>[2]) => requestPlanChange(appWith(), userId, request),
  };
}

const mails = async () =>
  (
    await billing.database.pool.query<{ text: string }>(
      "SELECT payload ->> 'text' AS text FROM outbox WHERE payload ->> 'subject' LIKE 'We’ve added%' ORDER BY id",
    )
  ).rows.map(({ text }) => text.replaceAll(/\s+/g, " "));

test("the next payment moves by the days paid for before the opening, once, whoever gives them and whatever is lost", async () => {
  const buyer = await openBuyer();
  await setStripe({ endpoints: "POST /v1/subscriptions", lost_replies: 0.5, seed: 3 });
  await Promise.allSettled([buyer.give(), buyer.give(), buyer.give()]);
  await setStripe({ reset: true });
  await buyer.give();
  const moved = buyer.end + 40 * DAY_SECONDS;
  expect(await buyer.atStripe()).toMatchObject({ trial_end: moved, metadata: { days_given: "40" } });
  expect(await buyer.overview()).toMatchObject({
    daysGiven: 40,
    next: { amount: 2999, at: new Date(moved * 1000) },
  });
  // The next invoice is for the free time.
  const { data: invoices } = await billing.stripe.invoices.list({ subscription: buyer.id });
  expect(invoices.map(({ amount_paid }) => amount_paid)).toEqual([0, 2999]);
  expect(invoices[0]?.lines.data[0]?.period.end).toBe(moved);
  expect(await mails()).toEqual([
    expect.stringContaining("we’ve added the 40 days you waited. Your next payment of $29.99 moves to"),
  ]);
  expect(await reconcile(appWith())).toMatchObject({
    drift: [],
    failed: [],
  });
});

test("a plan that was canceled ends later, and stays canceled", async () => {
  const buyer = await openBuyer();
  await buyer.ask({ kind: "cancel", reason: null, comment: null });
  await buyer.give();
  const end = buyer.end + 40 * DAY_SECONDS;
  expect(await buyer.atStripe()).toMatchObject({ cancel_at_period_end: true, cancel_at: end });
  expect(await buyer.overview()).toMatchObject({ next: null, cancelAt: new Date(end * 1000) });
});

test("a change that was ahead happens at the moved renewal, also when the process died in between", async () => {
  const buyer = await openBuyer("price_csv_banking_yearly");
  await buyer.ask({ kind: "change", priceId: CSV_YEARLY, prorationDate: null });
  const { rows } = await billing.database.pool.query(
    "INSERT INTO outbox (kind, payload) VALUES ('give_days', '{}') RETURNING id, payload",
  );
  const [job] = rows;
  const payload = {
    subscriptionId: buyer.id,
    feature: "csv_processing" as const,
    openedAt: new Date((buyer.end - 365 * DAY_SECONDS + 40 * DAY_SECONDS) * 1000).toISOString(),
  };
  const dying = stripeWith(billing.stripe, {
    subscriptions: {
      update: () => {
        throw new Error("killed");
      },
      retrieve: billing.stripe.subscriptions.retrieve.bind(billing.stripe.subscriptions),
      list: billing.stripe.subscriptions.list.bind(billing.stripe.subscriptions),
    },
  });
  await expect(giveDays(appWith({ stripe: dying }), payload, job)).rejects.toThrow("killed");
  const kept = await billing.database.pool.query("SELECT payload FROM outbox WHERE id = $1", [job.id]);
  await giveDays(appWith(), { ...payload, ...kept.rows[0].payload }, job);
  expect(await buyer.atStripe()).toMatchObject({
    trial_end: buyer.end + 40 * DAY_SECONDS,
    schedule: { phases: [{ end_date: buyer.end + 40 * DAY_SECONDS }, { items: [{ price: CSV_YEARLY }] }] },
  });
  expect(await buyer.overview()).toMatchObject({ nextPlan: { price: { id: CSV_YEARLY } } });
});

test("nothing is given for what was paid back; paused payments are looked at again later", async () => {
  const [refunded, paused] = [await openBuyer(), await openBuyer()];
  const { data: payments } = await billing.stripe.paymentIntents.list({ customer: refunded.customer });
  await billing.stripe.refunds.create({ payment_intent: payments[0]?.id ?? "" });
  await billing.stripe.subscriptions.update(paused.id, { pause_collection: { behavior: "void" } });
  for (const buyer of [refunded, paused]) {
    await buyer.give();
    expect(await buyer.atStripe()).toMatchObject({ trial_end: null, metadata: {} });
  }
  const { rows } = await billing.database.pool.query(
    "SELECT payload ->> 'subscriptionId' AS id, run_at > now() + interval '5 hours' AS later FROM outbox WHERE kind = 'give_days' AND dedupe_key IS NOT NULL",
  );
  expect(rows).toEqual([{ id: paused.id, later: true }]);
  await billing.stripe.subscriptions.update(paused.id, { pause_collection: "" });
  await paused.give();
  expect((await paused.atStripe()).metadata).toMatchObject({ days_given: "40" });
});

test("an end on a day of its own moves along", async () => {
  const buyer = await openBuyer();
  const cancel_at = buyer.end - 100 * DAY_SECONDS;
  await billing.stripe.subscriptions.update(buyer.id, { cancel_at });
  await buyer.give();
  expect(await buyer.atStripe()).toMatchObject({ cancel_at: cancel_at + 40 * DAY_SECONDS });
});

test("a renewal within minutes, and one with a change on its way to Stripe, is moved later", async () => {
  const [renewing, changing] = [await openBuyer(), await openBuyer()];
  const { subscriptions } = billing.stripe;
  const stripe = stripeWith(billing.stripe, {
    subscriptions: {
      async retrieve(id: string, params: Stripe.SubscriptionRetrieveParams) {
        const found = await subscriptions.retrieve(id, params);
        const [item] = found.items.data;
        if (item) item.current_period_end = Math.floor(Date.now() / 1000) + 60;
        return found;
      },
      list: subscriptions.list.bind(subscriptions),
      update: subscriptions.update.bind(subscriptions),
    },
  });
  await renewing.give(stripe);
  await billing.database.pool.query(
    "INSERT INTO plan_changes (subscription_id, user_id, kind) VALUES ($1, $2, 'resume')",
    [changing.id, changing.userId],
  );
  await changing.give();
  for (const buyer of [renewing, changing]) {
    expect(await buyer.atStripe()).toMatchObject({ trial_end: null, metadata: {} });
    const { rowCount } = await billing.database.pool.query(
      "SELECT FROM outbox WHERE kind = 'give_days' AND payload ->> 'subscriptionId' = $1 AND done_at IS NULL",
      [buyer.id],
    );
    expect(rowCount).toBe(1);
  }
  await billing.database.pool.query("DELETE FROM plan_changes WHERE subscription_id = $1", [changing.id]);
  for (const buyer of [renewing, changing]) {
    await buyer.give();
    expect((await buyer.atStripe()).metadata).toMatchObject({ days_given: "40" });
  }
});

test("while the days run, a better plan waits for the next payment instead of coming free, and a refund ends access", async () => {
  const buyer = await openBuyer();
  await buyer.give();
  const option = (await findSubscribedPlan(appWith(), buyer.userId))?.options.find(
    ({ price }) => price.id === "price_csv_banking_yearly",
  );
  expect(option).toMatchObject({ happens: "at_period_end" });
  await buyer.ask({ kind: "change", priceId: "price_csv_banking_yearly", prorationDate: null });
  expect(await buyer.overview()).toMatchObject({
    name: "CSV Only",
    nextPlan: { name: "CSV + Banking" },
    next: { amount: 4999, at: new Date((buyer.end + 40 * DAY_SECONDS) * 1000) },
  });
  const { data: payments } = await billing.stripe.paymentIntents.list({ customer: buyer.customer });
  await billing.stripe.refunds.create({ payment_intent: payments[0]?.id ?? "" });
  await buyer.give();
  expect(await buyer.overview()).toMatchObject({ accessUntil: null });
});
