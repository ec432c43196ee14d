import { expect, test } from "vitest";
import { setupLife, subscribe } from "./life.fixture.ts";
import { enqueueOverdueSyncs } from "./overdue.server.ts";

const life = setupLife();

const paymentOf = async (invoice: string) => {
  const { data } = await life.stripe.invoicePayments.list({ invoice });
  return String(data[0]?.payment.payment_intent);
};

test("a payment that went back gives no days of grace when the next one fails", async () => {
  const person = await subscribe(life);
  const payment = await paymentOf((await person.invoices())[0].id);
  await life.stripe.refunds.create({ payment_intent: payment });
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  expect(await person.subscription()).toMatchObject({ status: "past_due" });
  expect(await person.current()).toBeNull();
});

test("a refund is known however many payments were tried since", async () => {
  const person = await subscribe(life);
  const payment = await paymentOf((await person.invoices())[0].id);
  await life.stripe.refunds.create({ payment_intent: payment });
  await person.sync();
  await Promise.all(
    Array.from({ length: 101 }, () =>
      life.stripe.paymentIntents.create({ customer: person.customer, amount: 499, currency: "usd" }),
    ),
  );
  await person.sync();
  expect(await person.invoices()).toMatchObject([{ amount_refunded: 499 }]);
  expect(await person.current()).toBeNull();
});

test("a subscription that an older version stored is asked about at once", async () => {
  const person = await subscribe(life);
  await life.database.pool.query("UPDATE stripe_subscriptions SET access_until = NULL WHERE id = $1", [
    person.id,
  ]);
  await life.database.pool.query("UPDATE customers SET synced_at = NULL WHERE user_id = $1", [person.userId]);
  await enqueueOverdueSyncs(life.database.db);
  const { rows } = await life.database.pool.query("SELECT kind FROM outbox WHERE dedupe_key = $1", [
    person.customer,
  ]);
  expect(rows).toEqual([{ kind: "sync_customer" }]);
});
