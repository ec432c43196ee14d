import { eq } from "drizzle-orm";
import type Stripe from "stripe";
import { beforeEach, expect, test } from "vitest";
import { openCheckout, press, withHeldList } from "../../../test/stripe.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { config, setupBilling } from "../billing.fixture.ts";
import { readCatalogue, syncCatalogue } from "../catalogue.server.ts";
import { findOpenSubscription } from "../open-subscription.server.ts";
import { customers, stripeSubscriptions } from "../schema.ts";
import { enqueueOverdueSyncs } from "./overdue.server.ts";
import { syncCustomer } from "./sync-customer.server.ts";

const { billing, appWith, createBuyer, setStripe } = setupBilling();
let buyer: Awaited<ReturnType<typeof createBuyer>>;
let userId: string;

/** Every test has a user who has just paid for CSV + Banking, and of whom we have not heard yet. */
beforeEach(async () => {
  buyer = await createBuyer();
  userId = buyer.userId;
});

const sync = (client?: Stripe) => buyer.sync(client);

test("what was paid for is held, once, however often it is synced at once", async () => {
  await Promise.all(Array.from({ length: 10 }, () => sync()));
  expect(await currentSubscription(billing.database.db, userId)).toMatchObject({
    tier: "premium",
    source: "paid",
    renews: true,
  });
  expect(await billing.database.db.$count(stripeSubscriptions, eq(stripeSubscriptions.userId, userId))).toBe(
    1,
  );
});

test("an answer that was asked for earlier and arrives later does not overwrite a newer one", async () => {
  const early = withHeldList(billing.stripe, "subscriptions");
  const slow = sync(early.client);
  await early.asked;
  await billing.stripe.subscriptions.cancel(buyer.subscription);
  await sync();
  expect(await currentSubscription(billing.database.db, userId)).toBeNull();
  early.handOver();
  await slow;
  expect(await currentSubscription(billing.database.db, userId)).toBeNull();
});

test("cancelled for the end of the period: held until then, and it says that it ends", async () => {
  await billing.stripe.subscriptions.update(buyer.subscription, { cancel_at_period_end: true });
  await sync();
  const held = await currentSubscription(billing.database.db, userId);
  expect(held).toMatchObject({ renews: false });
  const oneYear = 365 * 24 * 60 * 60 * 1000;
  expect(Math.abs((held?.expiresAt.getTime() ?? 0) - Date.now() - oneYear)).toBeLessThan(
    2 * 24 * 60 * 60 * 1000,
  );
});

async function setStatus(status: string): Promise<void> {
  await billing.sandbox.pool.query(
    "UPDATE sandbox_stripe.objects SET object = jsonb_set(object, '{status}', to_jsonb($2::text)) WHERE id = $1",
    [buyer.subscription, status],
  );
}

test.each(["unpaid", "incomplete", "paused"])(
  "%s gives nothing, but a second one cannot be bought",
  async (status) => {
    await setStatus(status);
    await sync();
    expect(await currentSubscription(billing.database.db, userId)).toBeNull();
    expect(await findOpenSubscription(billing.database.db, userId)).toMatchObject({ status });
  },
);

test("past due is held for the days of grace, and does not say that it renews", async () => {
  await setStatus("past_due");
  await sync();
  expect(await currentSubscription(billing.database.db, userId)).toMatchObject({
    tier: "premium",
    renews: false,
  });
  await syncCustomer({ ...appWith(), config: { ...config, graceDays: 0 } }, buyer.customer);
  expect(await currentSubscription(billing.database.db, userId)).toBeNull();
  expect(await findOpenSubscription(billing.database.db, userId)).toMatchObject({ status: "past_due" });
});

test.each([
  [
    "has never been paid",
    'UPDATE sandbox_stripe.objects SET object = object || \'{"status": "incomplete_expired"}\' WHERE id = $1',
  ],
  ["Stripe no longer lists", "DELETE FROM sandbox_stripe.objects WHERE id = $1"],
  ["has ended at once", null],
  ["goes with its customer", undefined],
] as const)("a subscription that %s is over, and another can be bought", async (_how, query) => {
  await sync();
  const id = buyer.subscription;
  if (query) await billing.sandbox.pool.query(query, [id]);
  else if (query === null) await billing.stripe.subscriptions.cancel(id);
  else await billing.stripe.customers.del(buyer.customer);
  await sync();
  expect(await currentSubscription(billing.database.db, userId)).toBeNull();
  expect(await findOpenSubscription(billing.database.db, userId)).toBeNull();
});

/** Moves all times back, so that the last look at Stripe was over an hour ago. */
async function pass(interval: string): Promise<void> {
  await billing.database.pool.query(
    `WITH asked AS (UPDATE customers SET synced_at = now() - interval '1 hour' WHERE user_id = $1)
     UPDATE stripe_subscriptions SET current_period_end = current_period_end - $2::interval,
       access_until = access_until - $2::interval, cancel_at = cancel_at - $2::interval WHERE user_id = $1`,
    [userId, interval],
  );
}

/** Until its period ends, and beyond. */
async function passPeriod(beyond: string): Promise<void> {
  const { rows } = await billing.database.pool.query(
    "SELECT (current_period_end - now() + $2::interval)::text AS rest FROM stripe_subscriptions WHERE user_id = $1",
    [userId, beyond],
  );
  await pass(rows[0].rest);
}

test("at the end of a period it is held for the days of grace, and no longer", async () => {
  await sync();
  await passPeriod("6 days 23 hours");
  expect(await currentSubscription(billing.database.db, userId)).toMatchObject({
    tier: "premium",
    renews: false,
  });
  await pass("2 hours");
  expect(await currentSubscription(billing.database.db, userId)).toBeNull();
});

test("one that was cancelled ends with its period", async () => {
  await billing.stripe.subscriptions.update(buyer.subscription, { cancel_at_period_end: true });
  await sync();
  await passPeriod("1 second");
  expect(await currentSubscription(billing.database.db, userId)).toBeNull();
});

async function syncsAskedFor(): Promise<number> {
  const { rowCount } = await billing.database.pool.query(
    "SELECT FROM outbox WHERE payload ->> 'stripeCustomerId' = $1",
    [buyer.customer],
  );
  return rowCount ?? 0;
}

test("a renewal without a webhook is asked for, once", async () => {
  await sync();
  await enqueueOverdueSyncs(billing.database.db);
  expect(await syncsAskedFor()).toBe(0);
  await passPeriod("2 hours");
  await Promise.all([enqueueOverdueSyncs(billing.database.db), enqueueOverdueSyncs(billing.database.db)]);
  await enqueueOverdueSyncs(billing.database.db);
  expect(await syncsAskedFor()).toBe(1);
  await sync();
  expect(await currentSubscription(billing.database.db, userId)).toMatchObject({ tier: "premium" });
});

test.each([
  ["incomplete for an hour", "status = 'incomplete'"],
  ["past due, its days of grace over", "status = 'past_due', access_until = now() - interval '1 minute'"],
  ["cancelled, its day over", "cancel_at = now() - interval '1 minute'"],
  ["paused until just now", "resumes_at = now() - interval '1 minute'"],
])("%s: Stripe is asked", async (_, columns) => {
  await sync();
  await billing.database.pool.query(`UPDATE stripe_subscriptions SET ${columns} WHERE user_id = $1`, [
    userId,
  ]);
  await enqueueOverdueSyncs(billing.database.db);
  expect(await syncsAskedFor(), "a moment after it was asked").toBe(0);
  await pass("0 seconds");
  await enqueueOverdueSyncs(billing.database.db);
  expect(await syncsAskedFor()).toBe(1);
});

async function plansOnSale() {
  return (await readCatalogue(billing.database.db, "usd")).plans;
}

test("moved to a price we do not sell: what was bought goes on, and ends when Stripe says so", async () => {
  await sync();
  const id = buyer.subscription;
  const quarterly = await billing.stripe.prices.create({
    product: "prod_csv_banking",
    currency: "usd",
    unit_amount: 1299,
    recurring: { interval: "month", interval_count: 3 },
  });
  await billing.sandbox.pool.query(
    "UPDATE sandbox_stripe.objects SET object = jsonb_set(object, '{items,data,0,price,id}', to_jsonb($2::text)) WHERE id = $1",
    [id, quarterly.id],
  );
  await sync();
  expect(await currentSubscription(billing.database.db, userId)).toMatchObject({ tier: "premium" });
  await billing.stripe.subscriptions.cancel(id);
  await sync();
  expect(await currentSubscription(billing.database.db, userId)).toBeNull();
  expect(await findOpenSubscription(billing.database.db, userId)).toBeNull();
});

test("a price we have not heard of is looked up", async () => {
  const price = await billing.stripe.prices.create({
    product: "prod_csv_only",
    currency: "usd",
    unit_amount: 399,
    recurring: { interval: "month" },
  });
  const other = await createBuyer(price.id);
  await other.sync();
  expect(await currentSubscription(billing.database.db, other.userId)).toMatchObject({ tier: "basic" });
  await billing.stripe.prices.update(price.id, { active: false });
});

test("while Stripe is away nothing changes", async () => {
  await sync();
  const plans = await plansOnSale();
  await setStripe({ api: "down" });
  await expect(sync()).rejects.toThrow();
  await expect(syncCatalogue(billing.stripe, billing.database.db)).rejects.toThrow();
  await setStripe({ api: "up" });
  expect(await currentSubscription(billing.database.db, userId)).toMatchObject({ tier: "premium" });
  expect(await plansOnSale()).toEqual(plans);
});

test("a subscription to something we do not sell neither counts nor stands in the way", async () => {
  const mug = await billing.stripe.products.create({ name: "A mug a month" });
  const price = await billing.stripe.prices.create({
    product: mug.id,
    currency: "usd",
    unit_amount: 1200,
    recurring: { interval: "month" },
  });
  const session = await billing.stripe.checkout.sessions.create({
    mode: "subscription",
    customer: buyer.customer,
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: "http://shop.example/dashboard",
    cancel_url: "http://shop.example/subscription",
  });
  await press(session.url ?? "", "pay");
  await sync();
  expect(await currentSubscription(billing.database.db, userId)).toMatchObject({ tier: "premium" });
  expect(await billing.database.db.$count(stripeSubscriptions, eq(stripeSubscriptions.userId, userId))).toBe(
    1,
  );
});

test("another site's customer on the same Stripe account is left alone", async () => {
  const { customer: stranger, url } = await openCheckout(billing.stripe);
  await press(url, "pay");
  const readAll = async () =>
    (await billing.database.pool.query("SELECT * FROM stripe_subscriptions ORDER BY id")).rows;
  const before = await readAll();
  await syncCustomer(appWith(), stranger);
  expect(await readAll()).toEqual(before);
  expect(await billing.database.db.$count(customers, eq(customers.stripeCustomerId, stranger))).toBe(0);
});

test("who goes on paying a price keeps what it meant when they bought it", async () => {
  await sync();
  await billing.stripe.products.update("prod_csv_banking", { metadata: { tier: "basic" } });
  await syncCatalogue(billing.stripe, billing.database.db);
  await sync();
  expect(await currentSubscription(billing.database.db, userId)).toMatchObject({ tier: "premium" });
  await billing.stripe.products.update("prod_csv_banking", { metadata: { tier: "premium" } });
  await syncCatalogue(billing.stripe, billing.database.db);
});

test("invoices that Stripe no longer lists stay, but for drafts, which alone it deletes", async () => {
  await sync();
  await billing.database.pool.query(
    `INSERT INTO stripe_invoices (id, user_id, status, currency, total, amount_due, amount_paid, created_at, sync_ticket)
     SELECT status || $1::text, $1, status, 'usd', 499, 499, 0, now() - interval '3 years', 0
     FROM unnest(ARRAY['paid', 'open', 'draft']) AS status`,
    [userId],
  );
  await sync();
  const { rows } = await billing.database.pool.query(
    "SELECT status FROM stripe_invoices WHERE user_id = $1 AND created_at < now() - interval '1 year' ORDER BY status",
    [userId],
  );
  expect(rows.map(({ status }) => status)).toEqual(["open", "paid"]);
});
