import { expect, test } from "vitest";
import { SITE } from "../../../test/site.ts";
import { type Answer, askStripe } from "./ask-stripe.server.ts";
import { setupLife, subscribe } from "./life.fixture.ts";
import { storeAnswer } from "./store-answer.server.ts";

const life = setupLife();

/** Every order of a list. */
function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

test("answers to six events, stored in each of their 720 orders, lead to the same rows", async () => {
  const { stripe, database } = life;
  const person = await subscribe(life);
  const { userId, customer: stripeCustomerId, id } = person;
  const customer = { userId, stripeCustomerId };
  const answers: Answer[] = [];
  const note = async () => void answers.push(await askStripe(stripe, database.db, customer, 7));
  const [{ payment_intent_id }] = await person.invoices();

  await note();
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
  expect(different.size, "undoing leads back to the first").toBe(5);

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
    return storeAnswer(database.db, SITE, customer, BigInt(ticket), answer);
  };

  const outcomes = new Set<string>();
  const orders = permutations([1, 2, 3, 4, 5, 6]);
  expect(orders).toHaveLength(720);
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
