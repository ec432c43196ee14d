import { eq } from "drizzle-orm";
import type Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../test/database.ts";
import { SITE } from "../../../test/site.ts";
import { openCheckout, press, startTestSandbox, withHeldList } from "../../../test/stripe.ts";
import { createSignedInUsers } from "../../../test/users.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { readCatalogue, syncCatalogue } from "../catalogue.server.ts";
import { findOpenSubscription } from "../open-subscription.server.ts";
import { customers, stripeSubscriptions } from "../schema.ts";
import { enqueueOverdueSyncs } from "./overdue.server.ts";
import { syncCustomer } from "./sync-customer.server.ts";

const SETTINGS = { graceDays: 7, site: SITE };
let database: Awaited<ReturnType<typeof openDatabase>>;
let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let stripe: Stripe;
let userId: string;
let customer: string;

beforeAll(async () => {
  [database, sandbox] = await Promise.all([openDatabase(), startTestSandbox()]);
  stripe = sandbox.stripe;
  await syncCatalogue(stripe, database.db);
});

/** Every test has a user who has just paid for CSV + Banking, and of whom we have not heard yet. */
beforeEach(async () => {
  const [user] = await createSignedInUsers(database.pool, 1);
  userId = user?.id ?? "";
  customer = await pay("price_csv_banking_yearly");
});

afterAll(async () => {
  await Promise.all([database.close(), sandbox.close()]);
});

async function pay(price: string): Promise<string> {
  const checkout = await openCheckout(stripe, price);
  await press(checkout.url, "pay");
  await database.db
    .insert(customers)
    .values({ userId, stripeCustomerId: checkout.customer })
    .onConflictDoUpdate({ target: customers.userId, set: { stripeCustomerId: checkout.customer } });
  return checkout.customer;
}

async function subscriptionId(): Promise<string> {
  const { data } = await stripe.subscriptions.list({ customer, status: "all" });
  return data[0]?.id ?? "";
}

const sync = (client = stripe) => syncCustomer(client, database.db, SETTINGS, customer);

test("what was paid for is held, once, however often it is synced at once", async () => {
  await Promise.all(Array.from({ length: 10 }, () => sync()));
  expect(await currentSubscription(database.db, userId)).toMatchObject({
    tier: "premium",
    source: "paid",
    renews: true,
  });
  expect(await database.db.$count(stripeSubscriptions, eq(stripeSubscriptions.userId, userId))).toBe(1);
});

test("an answer that was asked for earlier and arrives later does not overwrite a newer one", async () => {
  const early = withHeldList(stripe, "subscriptions");
  const slow = sync(early.client);
  await early.asked;
  await stripe.subscriptions.cancel(await subscriptionId());
  await sync();
  expect(await currentSubscription(database.db, userId)).toBeNull();
  early.handOver();
  await slow;
  expect(await currentSubscription(database.db, userId)).toBeNull();
});

test("cancelled for the end of the period: held until then, and it says that it ends", async () => {
  await stripe.subscriptions.update(await subscriptionId(), { cancel_at_period_end: true });
  await sync();
  const held = await currentSubscription(database.db, userId);
  expect(held).toMatchObject({ renews: false });
  const oneYear = 365 * 24 * 60 * 60 * 1000;
  expect(Math.abs((held?.expiresAt.getTime() ?? 0) - Date.now() - oneYear)).toBeLessThan(
    2 * 24 * 60 * 60 * 1000,
  );
});

async function setStatus(status: string): Promise<void> {
  await sandbox.pool.query(
    "UPDATE sandbox_stripe.objects SET object = jsonb_set(object, '{status}', to_jsonb($2::text)) WHERE id = $1",
    [await subscriptionId(), status],
  );
}

test.each(["unpaid", "incomplete", "paused"])(
  "%s gives nothing, but a second one cannot be bought",
  async (status) => {
    await setStatus(status);
    await sync();
    expect(await currentSubscription(database.db, userId)).toBeNull();
    expect(await findOpenSubscription(database.db, userId)).toMatchObject({ status });
  },
);

test.each(["canceled", "incomplete_expired"])("%s is over, and another can be bought", async (status) => {
  await setStatus(status);
  await sync();
  expect(await currentSubscription(database.db, userId)).toBeNull();
  expect(await findOpenSubscription(database.db, userId)).toBeNull();
});

test("past due is held for the days of grace, and does not say that it renews", async () => {
  await setStatus("past_due");
  await sync();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium", renews: false });
  await syncCustomer(stripe, database.db, { ...SETTINGS, graceDays: 0 }, customer);
  expect(await currentSubscription(database.db, userId)).toBeNull();
  expect(await findOpenSubscription(database.db, userId)).toMatchObject({ status: "past_due" });
});

test("cancelled at once: nothing is held, and another can be bought", async () => {
  await sync();
  await stripe.subscriptions.cancel(await subscriptionId());
  await sync();
  expect(await currentSubscription(database.db, userId)).toBeNull();
  expect(await findOpenSubscription(database.db, userId)).toBeNull();
});

test("a subscription that Stripe no longer lists is over", async () => {
  await sync();
  await sandbox.pool.query("DELETE FROM sandbox_stripe.objects WHERE id = $1", [await subscriptionId()]);
  await sync();
  expect(await currentSubscription(database.db, userId)).toBeNull();
});

/** As if it were that much later, and nobody had asked Stripe for an hour. */
async function pass(interval: string): Promise<void> {
  await database.pool.query(
    `WITH asked AS (UPDATE customers SET synced_at = now() - interval '1 hour' WHERE user_id = $1)
     UPDATE stripe_subscriptions SET current_period_end = current_period_end - $2::interval,
       access_until = access_until - $2::interval, cancel_at = cancel_at - $2::interval WHERE user_id = $1`,
    [userId, interval],
  );
}

/** Until its period ends, and beyond. */
async function passPeriod(beyond: string): Promise<void> {
  const { rows } = await database.pool.query(
    "SELECT (current_period_end - now() + $2::interval)::text AS rest FROM stripe_subscriptions WHERE user_id = $1",
    [userId, beyond],
  );
  await pass(rows[0].rest);
}

test("at the end of a period it is held for the days of grace, and no longer", async () => {
  await sync();
  await passPeriod("6 days 23 hours");
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium", renews: false });
  await pass("2 hours");
  expect(await currentSubscription(database.db, userId)).toBeNull();
});

test("one that was cancelled ends with its period", async () => {
  await stripe.subscriptions.update(await subscriptionId(), { cancel_at_period_end: true });
  await sync();
  await passPeriod("1 second");
  expect(await currentSubscription(database.db, userId)).toBeNull();
});

async function syncsAskedFor(): Promise<number> {
  const { rowCount } = await database.pool.query(
    "SELECT FROM outbox WHERE payload ->> 'stripeCustomerId' = $1",
    [customer],
  );
  return rowCount ?? 0;
}

test("a renewal nobody told us of is asked for, once", async () => {
  await sync();
  await enqueueOverdueSyncs(database.db);
  expect(await syncsAskedFor()).toBe(0);
  await passPeriod("2 hours");
  await Promise.all([enqueueOverdueSyncs(database.db), enqueueOverdueSyncs(database.db)]);
  await enqueueOverdueSyncs(database.db);
  expect(await syncsAskedFor()).toBe(1);
  await sync();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium" });
});

test.each([
  ["incomplete for an hour", "status = 'incomplete'"],
  ["past due, its days of grace over", "status = 'past_due', access_until = now() - interval '1 minute'"],
  ["cancelled, its day over", "cancel_at = now() - interval '1 minute'"],
  ["paused until just now", "resumes_at = now() - interval '1 minute'"],
])("%s: Stripe is asked", async (_, columns) => {
  await sync();
  await database.pool.query(`UPDATE stripe_subscriptions SET ${columns} WHERE user_id = $1`, [userId]);
  await enqueueOverdueSyncs(database.db);
  expect(await syncsAskedFor(), "a moment after it was asked").toBe(0);
  await pass("0 seconds");
  await enqueueOverdueSyncs(database.db);
  expect(await syncsAskedFor()).toBe(1);
});

async function plansOnSale() {
  return (await readCatalogue(database.db, "usd")).plans;
}

test("moved to a price we do not sell: what was bought goes on, and ends when Stripe says so", async () => {
  await sync();
  const id = await subscriptionId();
  const quarterly = await stripe.prices.create({
    product: "prod_csv_banking",
    currency: "usd",
    unit_amount: 1299,
    recurring: { interval: "month", interval_count: 3 },
  });
  await sandbox.pool.query(
    "UPDATE sandbox_stripe.objects SET object = jsonb_set(object, '{items,data,0,price,id}', to_jsonb($2::text)) WHERE id = $1",
    [id, quarterly.id],
  );
  await sync();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium" });
  await stripe.subscriptions.cancel(id);
  await sync();
  expect(await currentSubscription(database.db, userId)).toBeNull();
  expect(await findOpenSubscription(database.db, userId)).toBeNull();
});

test("a price we have not heard of is looked up", async () => {
  const price = await stripe.prices.create({
    product: "prod_csv_only",
    currency: "usd",
    unit_amount: 399,
    recurring: { interval: "month" },
  });
  customer = await pay(price.id);
  await sync();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "basic" });
  await stripe.prices.update(price.id, { active: false });
});

test("while Stripe is away nothing changes", async () => {
  await sync();
  const down = (api: string) =>
    fetch(`${sandbox.origin}/sandbox/stripe/control`, { method: "POST", body: JSON.stringify({ api }) });
  const plans = await plansOnSale();
  await down("down");
  await expect(sync()).rejects.toThrow();
  await expect(syncCatalogue(stripe, database.db)).rejects.toThrow();
  await down("up");
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium" });
  expect(await plansOnSale()).toEqual(plans);
});

test("a subscription to something we do not sell neither counts nor stands in the way", async () => {
  const mug = await stripe.products.create({ name: "A mug a month" });
  const price = await stripe.prices.create({
    product: mug.id,
    currency: "usd",
    unit_amount: 1200,
    recurring: { interval: "month" },
  });
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer,
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: "http://shop.example/dashboard",
    cancel_url: "http://shop.example/subscription",
  });
  await press(session.url ?? "", "pay");
  await sync();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium" });
  expect(await database.db.$count(stripeSubscriptions, eq(stripeSubscriptions.userId, userId))).toBe(1);
});

test("somebody else's customer on the same Stripe account is left alone", async () => {
  const { customer: stranger, url } = await openCheckout(stripe);
  await press(url, "pay");
  const readAll = async () =>
    (await database.pool.query("SELECT * FROM stripe_subscriptions ORDER BY id")).rows;
  const before = await readAll();
  await syncCustomer(stripe, database.db, SETTINGS, stranger);
  expect(await readAll()).toEqual(before);
  expect(await database.db.$count(customers, eq(customers.stripeCustomerId, stranger))).toBe(0);
});

test("an archived price goes off sale, and who pays it keeps it", async () => {
  await stripe.prices.update("price_csv_banking_yearly", { active: false });
  await syncCatalogue(stripe, database.db);
  const onSale = (await plansOnSale()).flatMap((plan) => plan.prices.map((price) => price.id));
  expect(onSale).not.toContain("price_csv_banking_yearly");
  await sync();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium" });
  await stripe.prices.update("price_csv_banking_yearly", { active: true });
  await syncCatalogue(stripe, database.db);
});

test("who goes on paying a price keeps what it meant when they bought it", async () => {
  await sync();
  await stripe.products.update("prod_csv_banking", { metadata: { tier: "basic" } });
  await syncCatalogue(stripe, database.db);
  await sync();
  expect(await currentSubscription(database.db, userId)).toMatchObject({ tier: "premium" });
  await stripe.products.update("prod_csv_banking", { metadata: { tier: "premium" } });
  await syncCatalogue(stripe, database.db);
});

test("an earlier mirroring that ends later does not put an archived price back on sale", async () => {
  const early = withHeldList(stripe, "prices");
  const slow = syncCatalogue(early.client, database.db);
  await early.asked;
  await stripe.prices.update("price_csv_only_monthly", { active: false });
  await syncCatalogue(stripe, database.db);
  early.handOver();
  await slow;
  const onSale = (await plansOnSale()).flatMap((plan) => plan.prices.map((price) => price.id));
  expect(onSale).not.toContain("price_csv_only_monthly");
  await stripe.prices.update("price_csv_only_monthly", { active: true });
  await syncCatalogue(stripe, database.db);
});
