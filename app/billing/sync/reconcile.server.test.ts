import { sql } from "drizzle-orm";
import type Stripe from "stripe";
import { beforeEach, expect, test } from "vitest";
import { createSignedInUser } from "../../../test/users.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { config, setupBilling, stripeWith } from "../billing.fixture.ts";
import { countByKind, enqueueNightlyReconciliation, hasFailed, reconcile } from "./reconcile.server.ts";

const { billing, createBuyer } = setupBilling();

/** All customers are compared: each test has its own. */
beforeEach(async () => {
  await billing.database.pool.query(
    "DELETE FROM plan_changes; DELETE FROM stripe_invoices; DELETE FROM stripe_subscriptions; DELETE FROM customers; DELETE FROM outbox",
  );
  await billing.sandbox.pool.query(
    "TRUNCATE sandbox_stripe.checkout_orders; DELETE FROM sandbox_stripe.objects WHERE kind IN ('customer', 'subscription')",
  );
});

/** A user who paid. @param isKnown whether the customer is stored here, though nothing that they paid for is */
async function payer({ isKnown = true } = {}) {
  const buyer = await createBuyer();
  await billing.stripe.customers.update(buyer.customer, { metadata: { user_id: buyer.userId } });
  if (!isKnown) await billing.database.pool.query("DELETE FROM customers WHERE user_id = $1", [buyer.userId]);
  return { ...buyer, id: buyer.userId };
}

const run = (client = billing.stripe) => reconcile({ stripe: client, db: billing.database.db, config });

test("first payments without a webhook are found and mended, then nothing differs", async () => {
  const [known, unknown] = [await payer(), await payer({ isKnown: false })];
  const first = await run();
  expect(first).toMatchObject({ customers: 2, isComplete: true, failed: [], orphans: [] });
  expect(countByKind(first ?? { drift: [] })).toMatchObject({
    "customer missing": 1,
    "subscription missing": 2,
  });
  for (const { id } of [known, unknown])
    expect(await currentSubscription(billing.database.db, id)).toMatchObject({ tier: "premium" });
  expect(await run()).toMatchObject({ customers: 2, drift: [], failed: [] });
});

test("an end without a webhook is found, and says what differed", async () => {
  const { id, customer, subscription, sync } = await payer();
  await sync();
  await billing.stripe.subscriptions.cancel(subscription);
  const found = await run();
  expect(found?.drift).toContainEqual({
    kind: "subscription differs",
    stripeCustomerId: customer,
    id: subscription,
    columns: expect.arrayContaining(["status", "accessUntil", "endedAt"]),
  });
  expect(await currentSubscription(billing.database.db, id)).toBeNull();
  expect((await run())?.drift).toEqual([]);
});

test("what was heard of a moment ago is no drift", async () => {
  const { customer } = await payer();
  await billing.database.pool.query(
    "INSERT INTO outbox (kind, dedupe_key, payload) VALUES ('sync_customer', $1, '{}')",
    [customer],
  );
  expect(await run()).toMatchObject({ customers: 1, drift: [] });
});

test("a plan that is paid for and has no user is said, and left alone", async () => {
  const { id, customer, subscription } = await payer();
  await billing.database.pool.query("DELETE FROM customers");
  await billing.database.pool.query(`DELETE FROM "user" WHERE id = $1`, [id]);
  const found = await run();
  expect(found).toMatchObject({
    customers: 0,
    drift: [],
    orphans: [{ subscription, stripeCustomerId: customer }],
  });
  expect(found && hasFailed(found)).toBe(true);
});

test("a customer of other API keys fails, and the others are compared", async () => {
  const stranger = await createSignedInUser(billing.database.pool);
  await billing.database.pool.query(
    "INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, 'cus_elsewhere')",
    [stranger.id],
  );
  const { id } = await payer();
  const found = await run(withoutCustomer("cus_elsewhere"));
  expect(found).toMatchObject({
    customers: 1,
    failed: [{ stripeCustomerId: "cus_elsewhere", reason: expect.stringContaining("No such customer") }],
  });
  expect(await currentSubscription(billing.database.db, id)).not.toBeNull();
});

/** Stripe itself refuses to list what belongs to a customer it does not have. */
function withoutCustomer(missing: string): Stripe {
  const { stripe } = billing;
  const list = (params: Stripe.SubscriptionListParams) =>
    params.customer === missing
      ? { autoPagingToArray: () => stripe.customers.retrieve(missing).then(() => []) }
      : stripe.subscriptions.list(params);
  return stripeWith(stripe, { subscriptions: { list } });
}

test("one at a time", async () => {
  await payer();
  const [one, other] = await Promise.all([run(), run()]);
  expect([one, other].filter((found) => found === null)).toHaveLength(1);
  expect(await run()).toMatchObject({ customers: 1 });
});

test("every night once, however many processes look, and not on the first day", async () => {
  const planned = async (hour: string) => {
    const at = sql`(((now() AT TIME ZONE 'UTC')::date + 1 + ${hour}::time) AT TIME ZONE 'UTC')`;
    await Promise.all(Array.from({ length: 5 }, () => enqueueNightlyReconciliation(billing.database.db, at)));
    return (await billing.database.pool.query("SELECT FROM outbox WHERE kind = 'reconcile'")).rowCount;
  };
  await payer();
  await billing.database.pool.query("UPDATE customers SET created_at = now() + interval '1 day'");
  expect(await planned("04:00"), "all customers are new").toBe(0);
  await billing.database.pool.query("UPDATE customers SET created_at = now() - interval '2 days'");
  expect(await planned("02:59")).toBe(0);
  expect(await planned("06:00")).toBe(0);
  expect(await planned("03:00")).toBe(1);
  await billing.database.pool.query(
    "UPDATE outbox SET done_at = now(), created_at = now() + interval '1 day'",
  );
  expect(await planned("05:59"), "done in this night").toBe(1);
});
