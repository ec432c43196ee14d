import { expect, test } from "vitest";
import { SITE } from "../../../test/site.ts";
import { syncCatalogue } from "../catalogue.server.ts";
import { type CustomerState, fetchCustomerState } from "./customer-state.server.ts";
import { DAY_SECONDS, setupLife, subscribe } from "./life.fixture.ts";
import { storeCustomerState } from "./sync-customer.server.ts";

const life = setupLife();

test("cancelled, undone and cancelled again: told each time, and not once more when it ends as announced", async () => {
  const person = await subscribe(life);
  const cancel = async (cancel_at_period_end: boolean) => {
    await life.stripe.subscriptions.update(person.id, { cancel_at_period_end });
    await person.pass(0.01);
    await person.sync();
  };
  await cancel(true);
  expect(await person.subscription()).toMatchObject({ next_amount: null, next_payment_at: null });
  const [, mail] = await person.mails();
  expect(mail?.subject).toBe("CSV + Banking is canceled");
  expect(mail?.action?.url).toBe("http://localhost:3000/dashboard");
  await cancel(false);
  await cancel(true);
  expect(await person.subjects()).toHaveLength(3);
  await person.pass(32);
  expect(await person.subscription()).toMatchObject({ status: "canceled" });
  expect(await person.subjects()).toHaveLength(3);
});

test("cancelled at once: told that it has ended", async () => {
  const person = await subscribe(life);
  await life.stripe.subscriptions.cancel(person.id);
  await Promise.all([person.sync(), person.sync()]);
  expect((await person.subjects()).slice(1)).toEqual(["CSV + Banking has ended"]);
  expect(await person.current()).toBeNull();
});

test("a change that its schedule has ahead is known with its price", async () => {
  const person = await subscribe(life);
  const schedule = await life.stripe.subscriptionSchedules.create({ from_subscription: person.id });
  const [phase] = schedule.phases;
  await life.stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: "release",
    phases: [
      {
        items: [{ price: "price_csv_banking_monthly" }],
        start_date: phase?.start_date ?? 0,
        end_date: phase?.end_date ?? 0,
      },
      { items: [{ price: "price_csv_only_monthly" }], duration: { interval: "month", interval_count: 1 } },
    ],
  });
  await person.sync();
  expect(await person.subscription()).toMatchObject({
    price_id: "price_csv_banking_monthly",
    next_price_id: "price_csv_only_monthly",
    schedule_id: schedule.id,
    next_amount: 299,
    tier: "premium",
  });
  await person.pass(32);
  expect(await person.subscription()).toMatchObject({
    price_id: "price_csv_only_monthly",
    next_price_id: null,
    tier: "basic",
  });
});

test("a trial: access, no receipt for nothing, and the first payment ahead", async () => {
  const person = await subscribe(life, { trialDays: 14 });
  const subscription = await person.subscription();
  expect(subscription).toMatchObject({ status: "trialing", next_amount: 499 });
  expect(subscription.trial_end).toEqual(subscription.current_period_end);
  expect(await person.current()).toMatchObject({ tier: "premium", renews: true });
  expect(await person.subjects()).toEqual([]);
  await person.pass(15);
  expect(await person.subscription()).toMatchObject({ status: "active" });
  expect(await person.subjects()).toEqual(["Receipt: $4.99 for CSV + Banking"]);
});

test("payments paused: with void only what is paid for is held, otherwise it goes on", async () => {
  const person = await subscribe(life);
  await life.stripe.subscriptions.update(person.id, { pause_collection: { behavior: "void" } });
  await person.sync();
  const paused = await person.subscription();
  expect(paused).toMatchObject({ pause_behavior: "void", next_payment_at: null });
  expect(paused.access_until).toEqual(paused.current_period_end);
  await life.stripe.subscriptions.update(person.id, { pause_collection: { behavior: "keep_as_draft" } });
  await person.sync();
  const drafting = await person.subscription();
  expect(drafting.access_until.getTime()).toBe(
    drafting.current_period_end.getTime() + 7 * DAY_SECONDS * 1000,
  );
});

/** A price that no plan here has. */
async function foreignPrice() {
  const { id: product } = await life.stripe.products.create({ name: "A mug a month" });
  return life.stripe.prices.create({
    product,
    currency: "usd",
    unit_amount: 1200,
    recurring: { interval: "month" },
  });
}

test("several items, and more than one of each: the item that is ours counts", async () => {
  const person = await subscribe(life);
  const mug = await foreignPrice();
  const [item] = (await life.stripe.subscriptions.retrieve(person.id)).items.data;
  await life.stripe.subscriptions.update(person.id, {
    items: [
      { id: item?.id ?? "", quantity: 3 },
      { price: mug.id, quantity: 2 },
    ],
    proration_behavior: "none",
  });
  await person.sync();
  expect(await person.subscription()).toMatchObject({
    price_id: "price_csv_banking_monthly",
    tier: "premium",
  });
});

test("what is not ours is left alone, and counted", async () => {
  const person = await subscribe(life);
  const { id } = await life.stripe.subscriptions.create({
    customer: person.customer,
    items: [{ price: (await foreignPrice()).id }],
  });
  expect(await person.sync()).toEqual([id]);
  expect(await person.invoices()).toHaveLength(1);
});

test("a plan that is retired keeps serving those who have it", async () => {
  const { id: product } = await life.stripe.products.create({
    name: "Founders",
    metadata: { tier: "premium" },
  });
  const price = await life.stripe.prices.create({
    product,
    currency: "usd",
    unit_amount: 199,
    recurring: { interval: "month" },
  });
  const person = await subscribe(life, { price: price.id });
  await life.stripe.prices.update(price.id, { active: false });
  await life.stripe.products.update(product, { active: false, metadata: { tier: "" } });
  await syncCatalogue(life.stripe, life.database.db);
  await person.pass(32);
  expect(await person.current()).toMatchObject({ tier: "premium", renews: true });
  expect((await person.mails())[1]?.subject).toBe("Receipt: $1.99 for Founders");
});

test("a price that is replaced by a dearer one stays for those who have it", async () => {
  const newPrice = (unit_amount: number) =>
    life.stripe.prices.create({
      product: "prod_csv_only",
      currency: "usd",
      unit_amount,
      recurring: { interval: "month" },
    });
  const early = await newPrice(99);
  const person = await subscribe(life, { price: early.id });
  const dearer = await newPrice(399);
  await life.stripe.prices.update(early.id, { active: false });
  await syncCatalogue(life.stripe, life.database.db);
  await person.pass(32);
  expect((await person.mails())[1]?.subject).toBe("Receipt: $0.99 for CSV Only");
  await life.stripe.prices.update(dearer.id, { active: false });
});

/** Every order of a list. */
function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

test("answers to five events, stored in each of their 120 orders, lead to the same rows", async () => {
  const { stripe, database } = life;
  const person = await subscribe(life);
  const { userId, customer: stripeCustomerId, id } = person;
  const customer = { userId, stripeCustomerId };
  const answers: CustomerState[] = [];
  const note = async () => void answers.push(await fetchCustomerState(life.appWith(), customer));
  const [{ payment_intent_id }] = await person.invoices();

  await stripe.subscriptions.update(id, { cancel_at_period_end: true });
  await note();
  await stripe.subscriptions.update(id, { cancel_at_period_end: false });
  await note();
  await stripe.refunds.create({ payment_intent: payment_intent_id, amount: 100 });
  await note();
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  await note();
  await person.payWith("pm_card_mastercard");
  await person.pass(4);
  await note();
  const different = new Set(
    answers.map(({ subscriptions, invoices, card }) => JSON.stringify([subscriptions, invoices, card])),
  );
  expect(different.size).toBe(5);

  const { pool } = database;
  async function forget(): Promise<void> {
    await pool.query(
      `WITH invoices AS (DELETE FROM stripe_invoices WHERE user_id = $1),
         notices AS (DELETE FROM billing_notices WHERE user_id = $1),
         customer AS (UPDATE customers SET sync_ticket = 0 WHERE user_id = $1)
       DELETE FROM stripe_subscriptions WHERE user_id = $1`,
      [userId],
    );
  }
  async function stored(): Promise<string> {
    const { rows } = await pool.query(
      `SELECT (SELECT jsonb_agg(to_jsonb(subscription) - 'updated_at') FROM stripe_subscriptions AS subscription
           WHERE user_id = $1) AS subscriptions,
         (SELECT jsonb_agg(to_jsonb(invoice) - 'updated_at' ORDER BY id) FROM stripe_invoices AS invoice
           WHERE user_id = $1) AS invoices,
         (SELECT to_jsonb(customers) - 'synced_at' FROM customers WHERE user_id = $1) AS customer`,
      [userId],
    );
    return JSON.stringify(rows[0]);
  }
  const store = (ticket: number) => {
    const answer = answers[ticket - 1];
    if (!answer) throw new Error(`no answer ${ticket}`);
    return storeCustomerState(database.db, SITE, customer, BigInt(ticket), answer);
  };

  const outcomes = new Set<string>();
  const orders = permutations([1, 2, 3, 4, 5]);
  expect(orders).toHaveLength(120);
  for (const order of orders) {
    await forget();
    for (const ticket of order) await store(ticket);
    // Each delivered again.
    await store(order[0] ?? 1);
    outcomes.add(await stored());
  }
  expect(outcomes.size).toBe(1);
  expect(JSON.parse([...outcomes][0] ?? "")).toMatchObject({
    subscriptions: [{ status: "active" }],
    invoices: expect.arrayContaining([expect.objectContaining({ amount_refunded: 100 })]),
    customer: { card_brand: "mastercard" },
  });
  await person.sync();
});
