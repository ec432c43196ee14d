import type Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { SITE } from "../../test/site.ts";
import { openCheckout, press, startTestSandbox, withHeldList } from "../../test/stripe.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import { readCatalogue, syncCatalogue } from "./catalogue.server.ts";
import { prices } from "./catalogue-schema.ts";
import { customers } from "./schema.ts";
import { syncCustomer } from "./sync.server.ts";

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

const sync = (client = stripe) => syncCustomer(client, database.db, { graceDays: 7, site: SITE }, customer);

async function plansOnSale() {
  return (await readCatalogue(database.db, "usd")).plans;
}

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

test("the catalogue is the spec's", async () => {
  const plans = await plansOnSale();
  expect(plans.map(({ name, tier }) => [name, tier])).toEqual([
    ["CSV Only", "basic"],
    ["CSV + Banking", "premium"],
  ]);
  expect(
    plans.map((plan) =>
      plan.prices.map(({ unitAmount, interval, currency }) => [unitAmount, interval, currency]),
    ),
  ).toEqual([
    [
      [299, "month", "usd"],
      [2999, "year", "usd"],
    ],
    [
      [499, "month", "usd"],
      [4999, "year", "usd"],
    ],
  ]);
});

test("what has no tier, or is not monthly or yearly, is never on sale", async () => {
  const odd = await stripe.products.create({ name: "A mug" });
  await stripe.prices.create({
    product: odd.id,
    currency: "usd",
    unit_amount: 1200,
    recurring: { interval: "month" },
  });
  await syncCatalogue(stripe, database.db);
  expect((await plansOnSale()).map((plan) => plan.name)).not.toContain("A mug");
  expect(await database.db.$count(prices)).toBeGreaterThanOrEqual(4);
});
